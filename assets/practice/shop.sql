-- A small shop to practise on: the same rows on every machine.
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    since DATE NOT NULL
);
CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    price DECIMAL(10, 2) NOT NULL CHECK (price >= 0),
    stock INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    status TEXT NOT NULL CHECK (status IN ('new', 'paid', 'shipped', 'delivered', 'cancelled')),
    placed DATE NOT NULL
);
CREATE TABLE order_items (
    order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    price DECIMAL(10, 2) NOT NULL,
    PRIMARY KEY (order_id, product_id)
);
CREATE INDEX orders_by_customer ON orders (customer_id);

INSERT INTO customers (id, name, city, email, since) VALUES
    (1, 'Amara Obi', 'Lagos', 'amara@shop.example', '2023-02-11'),
    (2, 'Bo Lindqvist', 'Uppsala', 'bo@shop.example', '2023-02-19'),
    (3, 'Carmen Ruiz', 'Sevilla', 'carmen@shop.example', '2023-03-02'),
    (4, 'Dmitri Sokolov', 'Riga', 'dmitri@shop.example', '2023-03-28'),
    (5, 'Elif Demir', 'Izmir', 'elif@shop.example', '2023-04-07'),
    (6, 'Farid Rahimi', 'Herat', 'farid@shop.example', '2023-05-16'),
    (7, 'Greta Weiss', 'Graz', 'greta@shop.example', '2023-05-30'),
    (8, 'Hana Kimura', 'Osaka', 'hana@shop.example', '2023-06-21'),
    (9, 'Ivo Marques', 'Porto', 'ivo@shop.example', '2023-07-03'),
    (10, 'Jana Novak', 'Brno', 'jana@shop.example', '2023-08-14'),
    (11, 'Kofi Mensah', 'Accra', 'kofi@shop.example', '2023-09-09'),
    (12, 'Leila Haddad', 'Tunis', 'leila@shop.example', '2023-09-27'),
    (13, 'Milan Petrov', 'Varna', 'milan@shop.example', '2023-10-12'),
    (14, 'Nora Byrne', 'Galway', 'nora@shop.example', '2023-11-05'),
    (15, 'Oskar Dahl', 'Bergen', 'oskar@shop.example', '2023-12-01'),
    (16, 'Priya Nair', 'Kochi', 'priya@shop.example', '2024-01-18'),
    (17, 'Quentin Roy', 'Lyon', 'quentin@shop.example', '2024-02-06'),
    (18, 'Rosa O''Dell', 'Austin', 'rosa@shop.example', '2024-02-23'),
    (19, 'Samir Aziz', 'Fez', 'samir@shop.example', '2024-03-15'),
    (20, 'Thea Vogel', 'Basel', 'thea@shop.example', '2024-04-02'),
    (21, 'Uma Clarke', 'Leeds', 'uma@shop.example', '2024-05-20'),
    (22, 'Viktor Hansen', 'Aarhus', 'viktor@shop.example', '2024-06-08'),
    (23, 'Wen Zhao', 'Chengdu', 'wen@shop.example', '2024-07-11'),
    (24, 'Yara Costa', 'Recife', 'yara@shop.example', '2024-08-30');

INSERT INTO products (id, name, price, stock) VALUES
    (1, 'kettle', 34.90, 41),
    (2, 'tea towel', 6.50, 230),
    (3, 'teapot', 28.00, 64),
    (4, 'mug', 9.80, 310),
    (5, 'bread knife', 22.40, 58),
    (6, 'chopping board', 18.75, 77),
    (7, 'frying pan', 44.00, 33),
    (8, 'saucepan', 39.50, 29),
    (9, 'whisk', 7.20, 120),
    (10, 'scales', 25.00, 46),
    (11, 'apron', 16.30, 88),
    (12, 'baking tray', 13.60, 95),
    (13, 'rolling pin', 11.90, 70),
    (14, 'spice jar', 4.40, 400),
    (15, 'lunch box', 15.00, 110),
    (16, 'thermos', 27.60, 52);

-- 340 orders; every 28th, from the fifth on, was cancelled: 12 of them.
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 340)
INSERT INTO orders (id, customer_id, status, placed)
SELECT n,
       1 + (n * 11 + n / 24) % 24,
       CASE WHEN n % 28 = 5 THEN 'cancelled'
            WHEN n > 328 THEN 'new'
            WHEN n > 310 THEN 'paid'
            WHEN n > 280 THEN 'shipped'
            ELSE 'delivered' END,
       date('2025-01-03', '+' || n || ' days')
FROM numbers;

-- One to three different products in each.
WITH RECURSIVE places (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM places WHERE place < 2)
INSERT INTO order_items (order_id, product_id, quantity, price)
SELECT orders.id, products.id, 1 + (orders.id + place) % 4, products.price
FROM orders
JOIN places ON place <= orders.id % 3
JOIN products ON products.id = 1 + (orders.id * 5 + place * 3) % 16;
