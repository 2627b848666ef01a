//! The whole service over real connections, on the engine that `STEWARD_TEST_ENGINE` names.

mod support;

mod roles;
