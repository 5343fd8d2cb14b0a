/** Maximum number of test files that may pass only on a rerun, in one run of CI. */
export const MAX_FLAKY_FILES = 5
