//! Stands in for libFuzzer, so that the targets in `fuzz/targets` can run their seeds in a test: it
//! makes the input of a target from bytes, as libFuzzer does.

pub use arbitrary;

/// Makes `fn run(bytes: &[u8])` of a fuzz target.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: &[u8]| $body:expr) => {
        pub fn run($input: &[u8]) {
            $body
        }
    };
    (|$input:ident: $type:ty| $body:expr) => {
        pub fn run(bytes: &[u8]) {
            let source = $crate::arbitrary::Unstructured::new(bytes);
            let made = <$type as $crate::arbitrary::Arbitrary>::arbitrary_take_rest(source);
            let $input = made.expect("bytes that the input can be made of");
            $body
        }
    };
}
