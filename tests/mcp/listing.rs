//! How a server lists its tools: never, or not as the protocol has it.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Desk, alive, until};

#[tokio::test(flavor = "multi_thread")]
async fn one_that_lists_no_tools_holds_up_neither_the_end_nor_longer_than_its_time() {
    let Some(desk) = Desk::script("mute", &json!({})) else { return };
    let waking = desk.servers.wake();
    until("it was asked", || desk.notes().lines().count() == 2).await;
    let began = Instant::now();
    desk.servers.close().await;
    waking.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let pid = desk.notes().lines().last().unwrap().to_owned();
    until("it ended", || !alive(&pid)).await;
    assert_eq!(desk.start().await, Err("it was ended".to_owned()), "nothing starts any more");

    let Some(desk) = Desk::script("mute", &json!({ "timeoutSeconds": 1 })) else { return };
    let began = Instant::now();
    assert_eq!(desk.start().await, Err("it didn't answer within 1 s".to_owned()));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_without_a_schema_is_left_out_and_said() {
    let Some(desk) = Desk::script("bare", &json!({})) else { return };
    desk.start().await.unwrap();
    let server = &desk.servers.all()[0];
    assert!(server.offers().iter().any(|offer| offer.tool == "echo"));
    let left_out = server.left_out();
    assert!(left_out.len() == 1 && left_out[0].starts_with("bare: it isn't described as a tool"), "{left_out:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_tools_without_a_schema_a_hundred_are_said_and_the_rest_counted() {
    let Some(desk) = Desk::script("crowd", &json!({})) else { return };
    desk.start().await.unwrap();
    let left_out = desk.servers.all()[0].left_out();
    assert_eq!((left_out.len(), left_out[100].as_str()), (101, "50 more aren't described as tools"), "{left_out:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_may_take_longer_than_a_call() {
    let Some(desk) = Desk::script("late", &json!({ "timeoutSeconds": 1 })) else { return };
    assert_eq!(desk.start().await, Ok(()));
}
