//! What the first start wants to know and to have done: which providers there are, which servers answer here, their
//! models, a trial, the file. Everything off the loop, and nothing beyond this machine before the person chose it.

use std::io::Write as _;
use std::path::Path;

use super::bus::Work;
use super::engine::Engine;
use crate::app::{Chosen, Done, KeyWay, Offer, Setup, SetupStep, Sort};
use crate::config::{Folders, KeySource, ModelSettings, ProviderName, Settings, process_environment};
use crate::domain::{below_home, number};
use crate::providers::{MAKERS, Maker, ProviderSettings, answers, found, models, try_out};

/// The page with what the environment already says. Looks nowhere else: the first frame doesn't wait.
#[must_use]
pub fn page() -> Setup {
    Setup::new(offers(), false)
}

/// The same when it is asked for again: what the configuration names is chosen. With a mistake in it nothing is, and
/// nothing can be written before it is mended.
#[must_use]
pub fn again(folders: &Folders) -> Setup {
    let page = Setup::new(offers(), true);
    let (settings, problems) = Settings::load(folders);
    if !problems.is_empty() || !folders.config.exists() {
        return page;
    }
    page.already(configured(&settings))
}

/// What the configuration names, in the terms of the page.
fn configured(settings: &Settings) -> Chosen {
    let chosen = Chosen { mode: settings.mode, ..Chosen::default() };
    let Some(model) = &settings.provider else { return chosen };
    let key = match &model.key {
        KeySource::Usual => KeyWay::Usual,
        KeySource::Variable(name) => KeyWay::Variable(name.clone()),
        KeySource::Command(words) => KeyWay::Command(words.clone()),
        KeySource::Keyring(service) => KeyWay::Keyring(service.clone()),
    };
    let (address, model, provider) = (model.base_url.clone(), model.model.clone(), model.kind.word().to_owned());
    Chosen { provider, address, key, model, ..chosen }
}

fn offers() -> Vec<Offer> {
    let mut offers: Vec<Offer> = MAKERS.iter().map(offer).collect();
    offers.push(Offer {
        word: "openai".to_owned(),
        name: "another server".to_owned(),
        note: "you type its address; it gets OPENAI_API_KEY if set".to_owned(),
        found: false,
        place: String::new(),
        lacks: None,
        sort: Sort::Address,
        configured: false,
    });
    offers.push(Offer {
        word: ProviderName::Practice.word().to_owned(),
        name: "practice model".to_owned(),
        note: "built in, no language model: to try the program".to_owned(),
        found: true,
        place: String::new(),
        lacks: None,
        sort: Sort::Practice,
        configured: false,
    });
    offers
}

fn offer(maker: &'static Maker) -> Offer {
    let set = found(maker, &process_environment);
    let place = set
        .as_ref()
        .and_then(|set| set.base_url.clone())
        .unwrap_or_else(|| maker.home.to_owned())
        .split("://")
        .last()
        .and_then(|rest| rest.split('/').next())
        .and_then(|place| place.rsplit('@').next())
        .unwrap_or_default()
        .to_owned();
    let keyed = set.as_ref().is_some_and(|set| set.key.is_some());
    let note = match (maker.key, &set) {
        (Some(variable), Some(set)) if keyed && set.base_url.is_some() => format!("{variable} is set, for {place}"),
        (Some(variable), Some(_)) if keyed => format!("{variable} is set"),
        (_, Some(_)) => format!("{} is set: {place}", maker.address.unwrap_or_default()),
        (Some(variable), None) => format!("needs a key: {variable}, command or keyring"),
        (None, None) => format!("nothing answers at {place}"),
    };
    Offer {
        word: maker.word.to_owned(),
        name: maker.name.to_owned(),
        note,
        // Whether a server on this machine answers is still to be found out.
        found: keyed || set.as_ref().is_some_and(|set| set.base_url.is_some() && !maker.local()),
        place,
        lacks: maker.key.filter(|_| set.is_none()).map(str::to_owned),
        sort: Sort::Provider,
        configured: false,
    }
}

/// What was chosen, in the terms of the configuration.
///
/// # Errors
/// There is no such provider.
pub fn settings(chosen: &Chosen) -> Result<ModelSettings, String> {
    let kind = ProviderName::named(&chosen.provider).ok_or("There is no such provider.")?;
    let key = match &chosen.key {
        KeyWay::Usual => KeySource::Usual,
        KeyWay::Variable(name) => KeySource::Variable(name.clone()),
        KeyWay::Command(words) => KeySource::Command(words.clone()),
        KeyWay::Keyring(service) => KeySource::Keyring(service.clone()),
    };
    Ok(ModelSettings { base_url: chosen.address.clone(), model: chosen.model.clone(), key, ..ModelSettings::of(kind) })
}

/// The same with its key.
async fn provider(chosen: &Chosen) -> Result<Option<ProviderSettings>, String> {
    settings(chosen)?.provider(&process_environment).await.map_err(|error| format!("{error}."))
}

impl Engine {
    /// Does what the page wants.
    pub fn set_up(&self, step: SetupStep) {
        let lane = self.lanes.work.clone();
        let say = move |done: Done| {
            let lane = lane.clone();
            async move {
                let _leaving = lane.send(Work::SetUp(done)).await;
            }
        };
        match step {
            SetupStep::Probe => {
                for maker in MAKERS.iter().filter(|maker| maker.local()) {
                    let say = say.clone();
                    tokio::spawn(async move {
                        let here = found(maker, &process_environment).unwrap_or_else(|| ProviderSettings::of(maker));
                        if let Some(models) = answers(here).await {
                            say(Done::Answers(maker.word.to_owned(), models.len())).await;
                        }
                    });
                }
            }
            SetupStep::List(number, chosen) => drop(tokio::spawn(async move {
                let listed = match provider(&chosen).await {
                    Ok(Some(settings)) => models(settings).await.map_err(|failure| failure.message),
                    Ok(None) => Ok(Vec::new()),
                    Err(why) => Err(why),
                };
                let names = listed.map(|listed| listed.into_iter().map(|model| model.id).collect());
                say(Done::Listed(number, names)).await;
            })),
            SetupStep::Try(number, chosen) => drop(tokio::spawn(async move {
                let tried = match provider(&chosen).await {
                    Ok(Some(settings)) => try_out(settings).await.map_err(|failure| failure.message),
                    Ok(None) => return,
                    Err(why) => Err(why),
                };
                let told = tried.map(|answered| {
                    let took = number::duration(u64::try_from(answered.took.as_millis()).unwrap_or(u64::MAX));
                    format!("{} answered after {took}", answered.label)
                });
                say(Done::Tried(number, told)).await;
            })),
            SetupStep::Write(number, chosen) => {
                let folders = self.switchboard.start().folders.clone();
                drop(tokio::task::spawn_blocking(move || {
                    let written = settings(&chosen).and_then(|model| folders.write_choice(&model, chosen.mode));
                    let path = below_home(&folders.config, folders.home.as_deref());
                    tokio::runtime::Handle::current().block_on(say(Done::Written(number, written.map(|()| path))));
                }));
            }
            SetupStep::Skip => {
                let marker = self.switchboard.start().folders.asked();
                drop(tokio::task::spawn_blocking(move || {
                    if let Err(error) = remember(&marker) {
                        tracing::warn!("{} can't be written: {error}", marker.display());
                    }
                }));
            }
        }
    }
}

fn remember(marker: &Path) -> std::io::Result<()> {
    if let Some(folder) = marker.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut file = std::fs::File::create(marker)?;
    file.write_all(b"The first start was skipped; `countersign setup` asks again.\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ApprovalMode;

    #[test]
    fn what_is_configured_is_what_would_be_written_again() {
        let words = ["sh", "-c", "pass show ai | head -1"].map(str::to_owned).to_vec();
        for key in [KeySource::Usual, KeySource::Command(words), KeySource::Keyring("team".to_owned())] {
            let model = ModelSettings {
                base_url: Some("http://127.0.0.1:1".to_owned()),
                model: Some("m".to_owned()),
                key,
                ..ModelSettings::of(ProviderName::openai())
            };
            let named = Settings { provider: Some(model.clone()), mode: ApprovalMode::Smart, ..Settings::default() };
            let chosen = configured(&named);
            assert_eq!((settings(&chosen).unwrap(), chosen.mode), (model, ApprovalMode::Smart));
        }
    }
}
