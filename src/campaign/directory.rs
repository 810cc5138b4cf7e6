//! The directory of a campaign.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{names::Names, page::page, queue::SlurmError, row::CampaignRow};
use crate::{
    report::PlotError,
    results::{self, ResultsError, Table, read_table, write_table, write_whole},
};

/// The file with the names of subjects.
const NAMES: &str = "names.json";

/// The file that a running campaign locks.
const LOCK: &str = ".psychic-campaign";

/// Why a directory cannot be a campaign's.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// The directory has files, and none of a campaign.
    #[error("{}: has files that no campaign has written; name a new directory with --out", path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// Another campaign runs there.
    #[error("{}: another campaign is running there", path.display())]
    Taken {
        /// The directory.
        path: PathBuf,
    },
    /// The table cannot be read or written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The page or its picture cannot be made.
    #[error(transparent)]
    Page(#[from] PlotError),
    /// Slurm does not do what it is asked.
    #[error(transparent)]
    Slurm(#[from] SlurmError),
}

/// The directory of a campaign.
#[derive(Debug)]
pub struct CampaignDir {
    path: PathBuf,
    _lock: File,
}

impl CampaignDir {
    /// Claims a directory until the value is dropped. Makes it if there is none.
    ///
    /// # Errors
    /// It holds other files, another campaign runs there, or it cannot be written to.
    pub fn claim(path: &Path) -> Result<Self, CampaignError> {
        let io = |source| CampaignError::Io { path: path.to_owned(), source };
        fs::create_dir_all(path)
            .map_err(|source| ResultsError::Unwritable { path: path.to_owned(), source })?;
        let lock = path.join(LOCK);
        let is_new = fs::read_dir(path).map_err(io)?.next().is_none();
        if !is_new && !lock.is_file() {
            return Err(CampaignError::Foreign { path: path.to_owned() });
        }
        let Some(file) = results::lock(&lock).map_err(io)? else {
            return Err(CampaignError::Taken { path: path.to_owned() });
        };
        for place in ["subjects", "logs", "rows"] {
            fs::create_dir_all(path.join(place)).map_err(io)?;
        }
        Ok(Self { path: path.to_owned(), _lock: file })
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rows of the table that earlier runs left; none if there is no table.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(super) fn rows(&self) -> Result<Vec<CampaignRow>, ResultsError> {
        let table = self.path.join(CampaignRow::FILE);
        if table.exists() { read_table(&table) } else { Ok(Vec::new()) }
    }

    /// The last row of a subject, even if the last list lacks the subject; `None` if it never ran.
    ///
    /// # Errors
    /// The row cannot be read.
    pub(super) fn row(&self, name: &str) -> Result<Option<CampaignRow>, ResultsError> {
        let file = self.row_file(name);
        if file.exists() { Ok(read_table(&file)?.pop()) } else { Ok(None) }
    }

    /// The names that subjects had in earlier runs, including those in rows of earlier versions.
    pub(super) fn names(&self, rows: &[CampaignRow]) -> Names {
        let text = fs::read(self.path.join(NAMES)).unwrap_or_default();
        let given: BTreeMap<String, PathBuf> = serde_json::from_slice(&text).unwrap_or_default();
        let of_rows = rows.iter().map(|row| (row.name.clone(), PathBuf::from(&row.path)));
        Names::of_earlier(given.into_iter().chain(of_rows))
    }

    /// Keeps the names for later runs.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn write_names(&self, names: &Names) -> Result<(), CampaignError> {
        let path = self.path.join(NAMES);
        let text = serde_json::to_vec_pretty(&names.all());
        let text =
            text.map_err(|error| CampaignError::Io { path: path.clone(), source: error.into() })?;
        Ok(write_whole(&path, &text)?)
    }

    /// The file with a subject's row, which is written when the subject is done.
    pub fn row_file(&self, name: &str) -> PathBuf {
        self.rows_directory().join(format!("{name}.csv"))
    }

    /// The directory with the rows of all subjects.
    pub(super) fn rows_directory(&self) -> PathBuf {
        self.path.join("rows")
    }

    /// The directory with the list of the jobs of a run with Slurm.
    pub(super) fn slurm(&self) -> PathBuf {
        self.path.join("slurm")
    }

    /// The directory with the results of a subject.
    pub fn results(&self, name: &str) -> PathBuf {
        self.path.join("subjects").join(name)
    }

    /// The file with what the process of a subject writes.
    pub fn log(&self, name: &str) -> PathBuf {
        self.path.join("logs").join(format!("{name}.log"))
    }

    /// Writes the table, so that the campaign can go on from there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, rows: &[CampaignRow]) -> Result<(), CampaignError> {
        Ok(write_table(&self.path.join(CampaignRow::FILE), rows)?)
    }

    /// Writes the page over all subjects and, with the feature `plots`, the picture in it.
    ///
    /// # Errors
    /// They cannot be made or written.
    pub fn write_page(&self, rows: &[CampaignRow]) -> Result<(), CampaignError> {
        write_whole(&self.path.join("campaign.html"), page(rows)?.as_bytes())?;
        #[cfg(feature = "plots")]
        {
            let picture = crate::report::draw_cactus(&super::page::times(rows)).svg()?;
            write_whole(&self.path.join("cactus.svg"), picture.as_bytes())?;
        }
        Ok(())
    }
}
