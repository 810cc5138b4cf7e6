//! The median.

/// The middle value, or the mean of the two in the middle; `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().checked_sub(1)? / 2, values.len() / 2);
    Some((values[low] + values[high]) / 2.0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(super::median([]), None);
        assert_eq!(super::median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(super::median([4.0, 1.0]), Some(2.5));
    }
}
