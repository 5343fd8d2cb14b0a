// Variables that disable prompts and decorated output in common programs.
export const NON_INTERACTIVE_ENV = {
  CI: 'true',
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
  CARGO_TERM_COLOR: 'never'
}
