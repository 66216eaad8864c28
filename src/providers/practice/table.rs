//! The rows that a statement returned as a table in the answer. A model reads them as text, so this is all there is.

use super::planner::MOST_LINES;

/// What stands between two cells in what a model reads.
const BAR: &str = " | ";

/// The rows of a result as a table of Markdown, figures to the right. None for what isn't rows, or holds a cell that
/// looks like two.
pub(super) fn table(result: &str) -> Option<String> {
    let mut lines = result.lines();
    let summary = lines.next().filter(|line| line.ends_with(" row") || line.ends_with(" rows"))?;
    let head: Vec<&str> = lines.next()?.split(BAR).collect();
    let rows: Vec<Vec<&str>> =
        lines.filter(|line| !line.starts_with('…')).map(|line| line.split(BAR).collect()).collect();
    if rows.is_empty() || rows.iter().any(|row| row.len() != head.len()) {
        return None;
    }
    let figures = |at: usize| rows.iter().all(|row| row[at] == "NULL" || row[at].parse::<f64>().is_ok());
    let marks: Vec<&str> = (0..head.len()).map(|at| if figures(at) { "---:" } else { "---" }).collect();
    let line = |cells: &[&str]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('\\', r"\\").replace('|', r"\|")).collect();
        format!("| {} |", cells.join(BAR))
    };
    let mut text = format!("{}\n| {} |", line(&head), marks.join(BAR));
    for row in rows.iter().take(MOST_LINES) {
        text.push('\n');
        text.push_str(&line(row));
    }
    let shown = rows.len().min(MOST_LINES);
    if summary != format!("{shown} rows") && summary != "1 row" {
        text.push_str(&format!("\n\nThese are {shown} of {summary}; the output pane has all of them."));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_a_table_and_anything_else_does_not() {
        let rows = "2 rows\nname | orders\nAda | 12\nBo* | NULL\n";
        assert_eq!(table(rows).unwrap(), "| name | orders |\n| --- | ---: |\n| Ada | 12 |\n| Bo* | NULL |");
        for other in
            ["exit 0\na | b\n", "1 row\na | b\nx | y | z\n", "2 rows changed", "0 rows", "error: no such table"]
        {
            assert_eq!(table(other), None, "{other}");
        }
        let ids: Vec<String> = (0..30).map(|id| id.to_string()).collect();
        let many = format!("30 rows\nid\n{}\n", ids.join("\n"));
        let told = table(&many).unwrap();
        assert!(told.ends_with("| 23 |\n\nThese are 24 of 30 rows; the output pane has all of them."), "{told}");
    }
}
