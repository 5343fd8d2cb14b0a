/** So many test files may pass only when they run again, in one run of CI. */
export const MAX_FLAKY_FILES = 5
