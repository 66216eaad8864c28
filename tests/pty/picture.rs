//! Draws an emulated screen as SVG: the picture in the README is the program's own screen.

use std::fmt::Write as _;

/// Width and height of one cell in the picture.
const CELL: (u32, u32) = (9, 19);
const GROUND: &str = "#16181d";
const TEXT: &str = "#d5d8de";

/// The screen as an SVG document.
pub fn svg(screen: &vt100::Screen) -> String {
    let (rows, columns) = screen.size();
    let (width, height) = (u32::from(columns) * CELL.0, u32::from(rows) * CELL.1 + 8);
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" \
         font-size=\"15\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{GROUND}\"/>\n"
    );
    for row in 0..rows {
        let y = u32::from(row) * CELL.1 + 4;
        for column in 0..columns {
            let Some(cell) = screen.cell(row, column) else { continue };
            let x = u32::from(column) * CELL.0;
            let (mut front, mut back) = (colour(cell.fgcolor(), TEXT), colour(cell.bgcolor(), GROUND));
            if cell.inverse() {
                std::mem::swap(&mut front, &mut back);
            }
            if back != GROUND {
                let _ = writeln!(
                    picture,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{back}\"/>",
                    CELL.0, CELL.1
                );
            }
            let text = cell.contents();
            if text.trim().is_empty() {
                continue;
            }
            let weight = if cell.bold() { " font-weight=\"bold\"" } else { "" };
            let fade = if cell.dim() { " opacity=\"0.6\"" } else { "" };
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ =
                writeln!(picture, "<text x=\"{x}\" y=\"{}\" fill=\"{front}\"{weight}{fade}>{escaped}</text>", y + 14);
        }
    }
    picture.push_str("</svg>\n");
    picture
}

/// A terminal colour as the web writes it.
fn colour(colour: vt100::Color, default: &str) -> String {
    const SIXTEEN: [&str; 16] = [
        "#2a2e36", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4", "#6b7280", "#ef8891",
        "#b1d69b", "#f0d399", "#86c3f5", "#d79ae8", "#7fccd5", "#ffffff",
    ];
    match colour {
        vt100::Color::Default => default.to_owned(),
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        vt100::Color::Idx(index @ 0..16) => SIXTEEN[usize::from(index)].to_owned(),
        vt100::Color::Idx(index @ 16..232) => {
            let index = index - 16;
            let part = |n: u8| if n == 0 { 0 } else { 55 + n * 40 };
            format!("#{:02x}{:02x}{:02x}", part(index / 36), part(index / 6 % 6), part(index % 6))
        }
        vt100::Color::Idx(grey) => {
            let level = 8 + (grey - 232) * 10;
            format!("#{level:02x}{level:02x}{level:02x}")
        }
    }
}
