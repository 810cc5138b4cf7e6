//! Confidence intervals for a proportion that is known only from samples.

/// The probability that the proportion is outside the interval, on either side.
const MISS: f64 = 0.025;
/// Halvings of an interval of candidates: more than a floating-point number has bits.
const STEPS: u32 = 60;

/// The least and the greatest proportion that go with `least` to `most` hits among `samples`
/// independent samples. This is the interval of Clopper and Pearson ("The use of confidence or
/// fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934). It holds the
/// true proportion in at least 95 % of all cases.
pub(super) fn interval(least: u32, most: u32, samples: u32) -> (f64, f64) {
    if samples == 0 {
        return (0.0, 1.0);
    }
    (lower(least, samples), 1.0 - lower(samples - most, samples))
}

/// The proportion for which `hits` or more have a probability of [`MISS`].
fn lower(hits: u32, samples: u32) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    let (k, n) = (f64::from(hits), f64::from(samples));
    let ways: f64 = (1..=hits).map(|i| ((n - k + f64::from(i)) / f64::from(i)).ln()).sum();
    let (mut low, mut high) = (0.0, k / n);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        match at_least(hits, samples, ways, middle) < MISS {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// The probability of `hits` or more among `samples`, each of which is a hit with probability `p`.
/// `p` is less than the proportion of the hits. `ways` is the logarithm of the number of ways to
/// choose the hits.
fn at_least(hits: u32, samples: u32, ways: f64, p: f64) -> f64 {
    let (k, n) = (f64::from(hits), f64::from(samples));
    let mut term = (ways + k * p.ln() + (n - k) * (-p).ln_1p()).exp();
    let mut sum = term;
    for i in hits..samples {
        let i = f64::from(i);
        term *= (n - i) / (i + 1.0) * p / (1.0 - p);
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of exactly `hits`, the slow way.
    fn exactly(hits: u32, samples: u32, p: f64) -> f64 {
        let ways: f64 = (1..=hits).map(|i| f64::from(samples - hits + i) / f64::from(i)).product();
        ways * p.powi(hits as i32) * (1.0 - p).powi((samples - hits) as i32)
    }

    #[test]
    fn known_values() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-4;
        // 1 - 0.025^(1/n), and the example of the rule of three.
        let (low, high) = interval(0, 0, 100);
        assert!(low == 0.0 && near(high, 0.036_217), "{high}");
        let (low, high) = interval(10, 10, 10);
        assert!(near(low, 0.691_503) && high == 1.0, "{low}");
        let (low, high) = interval(5, 5, 10);
        assert!(near(low, 0.187_086) && near(high, 0.812_914), "{low} {high}");
        assert_eq!(interval(0, 0, 0), (0.0, 1.0));
        assert_eq!(interval(0, 8, 8), (0.0, 1.0));
    }

    /// Whatever the true proportion is, the interval holds it in 95 % of the cases.
    #[test]
    fn the_interval_covers() {
        for samples in [1, 7, 40] {
            for p in (0..=100).map(|percent| f64::from(percent) / 100.0) {
                let covering = (0..=samples).filter(|hits| {
                    let (low, high) = interval(*hits, *hits, samples);
                    (low - 1e-9..=high + 1e-9).contains(&p)
                });
                let sum: f64 = covering.map(|hits| exactly(hits, samples, p)).sum();
                assert!(sum >= 0.95 - 1e-9, "{samples} {p}: {sum}");
            }
        }
    }
}
