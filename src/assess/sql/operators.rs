//! PostgreSQL's operators are functions under another name, and anybody can make new ones: one that isn't among
//! the server's and its usual extensions' is unknown. Called by `reading.rs`.

use super::lex::{Kind, Token};
use crate::domain::{Class, Finding};

/// The server's own, and the two that are no operators (`=>` names an argument, `!=` is `<>`).
const BUILT_IN: &str = " !! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= + - -> ->> -|- / < <-> \
    << <<= <<| <= <> <@ <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ @-@ @> @? @@ @@@ ^ ^@ | |&> |/ |>> || ||/ ~ ~* ~<=~ \
    ~<~ ~= ~>=~ ~>~ ~~ ~~* => != ! ";

/// Those of pg_trgm, hstore, ltree, cube, earthdistance, intarray, pgvector and PostGIS.
const EXTENSIONS: &str = " %> <% <<% %>> <->> <<-> <<<-> <->>> %% %# #= ^@ ^~ ^? ^@@ ^@> ^<@ ?@> ?<@ ?~ ?@ ~> <@> <=> <#> \
    <+> <~> <%> &&& |=| <<#>> <<->> |>> &<| @>> <<@ ~~= <<~>> ";

/// The operator that starts at a token, as the server splits it. Nothing where none starts.
pub(super) fn at(tokens: &[Token], start: usize) -> Option<String> {
    let part = |token: &Token| match token.kind {
        Kind::Mark(mark) if "+-*/<>=~!@#%^&|?".contains(mark) => Some(mark),
        _ => None,
    };
    let joined = |at: usize| tokens[at - 1].span.end == tokens[at].span.start;
    if start > 0 && part(&tokens[start - 1]).is_some() && joined(start) {
        return None;
    }
    let mut text = String::from(part(tokens.get(start)?)?);
    let rest = (start + 1..tokens.len()).take_while(|at| joined(*at));
    text.extend(rest.map_while(|at| part(&tokens[at])));
    // The server takes signs off the end of an operator that has none of these.
    if !text.contains(['~', '!', '@', '#', '%', '^', '&', '|', '?']) {
        let kept = text.trim_end_matches(['+', '-']).len().max(1);
        text.truncate(kept);
    }
    Some(text)
}

/// Whether an operator only computes.
pub(super) fn known(operator: &str) -> bool {
    let wanted = format!(" {operator} ");
    BUILT_IN.contains(&wanted) || EXTENSIONS.contains(&wanted)
}

/// Whether the bracket that opens at a token holds one of the server's operators: `OPERATOR(pg_catalog.||)`.
pub(super) fn named(tokens: &[Token], open: usize) -> bool {
    let mut at = open + 1;
    if tokens.get(at).is_some_and(Token::names) {
        let own = tokens[at].text == "pg_catalog" && tokens.get(at + 1).is_some_and(|dot| dot.mark('.'));
        if !own {
            return false;
        }
        at += 2;
    }
    let marks =
        tokens[at.min(tokens.len())..].iter().take_while(|token| matches!(token.kind, Kind::Mark(mark) if mark != ')'));
    let count = marks.count();
    count > 0 && tokens.get(at + count).is_some_and(|close| close.mark(')'))
}

/// The finding about an operator.
pub(super) fn unknown(operator: &str, token: &Token) -> Finding {
    let sentence = format!("No rule says that the operator `{operator}` only reads.");
    Finding::new("sql.operator-unknown", Class::Unknown, sentence).at(token.span.clone())
}
