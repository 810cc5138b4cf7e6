//! Tables: typed rows of a CSV file.

use std::{io, path::Path};

use super::{ResultsError, write_whole};

/// A row of one of the CSV files.
pub trait Table: Sized {
    /// Name of the file in the results directory.
    const FILE: &'static str;
    /// Names of the columns, in order.
    const COLUMNS: &'static [&'static str];
    /// The number of columns, at the end, that files of earlier versions lack. In rows of such
    /// files they have their default values, such as 0 or the empty text.
    const LATER: usize;

    /// The cells of the row, in the order of the columns.
    fn cells(&self) -> Vec<String>;

    /// The row with these cells, of which there is one for each column, in the same order.
    ///
    /// # Errors
    /// The index of the first column whose cell is wrong, and what was expected in it.
    fn from_cells(cells: &[&str]) -> Result<Self, (usize, String)>;
}

/// Declares the rows of one table: a struct whose fields are the columns.
macro_rules! table {
    (
        $(#[$doc:meta])*
        $name:ident in $file:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
        } $(since {
            $($(#[$later_doc:meta])* $later:ident: $later_type:ty,)*
        })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
            $($($(#[$later_doc])* #[serde(default)] pub $later: $later_type,)*)?
        }

        impl $crate::results::Table for $name {
            const FILE: &'static str = $file;
            const COLUMNS: &'static [&'static str] = &[
                $(stringify!($field),)*
                $($(stringify!($later),)*)?
            ];
            const LATER: usize = <[&str]>::len(&[$($(stringify!($later),)*)?]);

            fn cells(&self) -> Vec<String> {
                vec![
                    $($crate::results::Cell::write(&self.$field),)*
                    $($($crate::results::Cell::write(&self.$later),)*)?
                ]
            }

            fn from_cells(cells: &[&str]) -> Result<Self, (usize, String)> {
                let mut cells = cells.iter().enumerate();
                Ok(Self {
                    $($field: {
                        let (index, cell) = cells.next().unwrap_or((0, &""));
                        $crate::results::Cell::read(cell)
                            .map_err(|expected| (index, expected))?
                    },)*
                    $($($later: {
                        let (index, cell) = cells.next().unwrap_or((0, &""));
                        match *cell {
                            "" => Default::default(),
                            cell => $crate::results::Cell::read(cell)
                                .map_err(|expected| (index, expected))?,
                        }
                    },)*)?
                })
            }
        }
    };
}

pub(super) use table;

/// Reads all rows of the file `path`. Columns are found by their names in the header row, in any
/// order; columns that the table does not have are ignored.
///
/// # Errors
/// The file is not there, cannot be read, is not CSV or lacks a column, or a cell does not hold a
/// value of its column's type: see [`ResultsError`].
pub fn read_table<T: Table>(path: &Path) -> Result<Vec<T>, ResultsError> {
    let text = std::fs::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ResultsError::NoTable(path.into()),
        _ => ResultsError::Io { path: path.into(), source },
    })?;
    // Spreadsheets put a byte order mark before UTF-8; the first column's name would begin with it.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let not_csv = |source| ResultsError::Csv { path: path.into(), source };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
    let header = reader.headers().map_err(not_csv)?;
    let needed = T::COLUMNS.len() - T::LATER;
    let places = T::COLUMNS
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let place = header.iter().position(|name| name.trim() == *column);
            if place.is_none() && index < needed {
                return Err(ResultsError::MissingColumn {
                    path: path.into(),
                    column,
                    expected: T::COLUMNS[..needed].join(","),
                });
            }
            Ok(place)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(not_csv)?;
        let cells =
            places.iter().map(|place| place.and_then(|at| record.get(at)).unwrap_or_default());
        let cells: Vec<&str> = cells.collect();
        rows.push(T::from_cells(&cells).map_err(|(index, expected)| ResultsError::BadValue {
            path: path.into(),
            line: record.position().map_or(0, csv::Position::line),
            column: T::COLUMNS[index],
            value: cells[index].into(),
            expected,
        })?);
    }
    Ok(rows)
}

/// Writes `rows` to the file `path`, completely or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn write_table<T: Table>(path: &Path, rows: &[T]) -> Result<(), ResultsError> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let text = writer
        .write_record(T::COLUMNS)
        .and_then(|()| rows.iter().try_for_each(|row| writer.write_record(row.cells())))
        .and_then(|()| writer.into_inner().map_err(|error| error.into_error().into()))
        .map_err(|source| ResultsError::Csv { path: path.into(), source })?;
    write_whole(path, &text)
}
