//! Writes the HTML report of a result document: `report RESULT.json REPORT.html`.

use unladen_document::Document;
use unladen_publish::html::{PageOptions, document_page};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(result), Some(report)) = (arguments.next(), arguments.next()) else {
        return Err("usage: report RESULT.json REPORT.html".into());
    };
    let document = Document::read(&std::fs::read(result)?)?;
    std::fs::write(report, document_page(&document, &PageOptions::default()))?;
    Ok(())
}
