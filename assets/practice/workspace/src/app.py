"""Adds up the sales of a week."""

import csv


def total(path):
    # TODO: skip rows whose amount isn't a number
    with open(path, newline="") as rows:
        return sum(float(row["amount"]) for row in csv.DictReader(rows))


def best_day(path):
    # TODO: two days may be equally good
    days = {}
    with open(path, newline="") as rows:
        for row in csv.DictReader(rows):
            days[row["day"]] = days.get(row["day"], 0) + float(row["amount"])
    return max(days, key=days.get)


if __name__ == "__main__":
    print(f"total {total('data.csv'):.2f}, best day {best_day('data.csv')}")
