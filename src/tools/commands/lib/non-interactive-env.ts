// What tells programs of all kinds that nobody is there to be asked, and that their words are for a machine.
export const NON_INTERACTIVE_ENV = {
  CI: 'true',
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
  CARGO_TERM_COLOR: 'never'
}
