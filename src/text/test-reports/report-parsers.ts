// Registry of test report parsers, by name.
import { cargoReport } from './cargo.ts'
import { ctestReport } from './ctest.ts'
import { goReport } from './go.ts'
import { jestReport } from './jest.ts'
import { junitReport } from './junit.ts'
import type { ReportParser } from './report.ts'
import { anyReport } from './summary.ts'
import { tapReport } from './tap.ts'

export const REPORT_PARSERS = {
  tap: tapReport,
  junit: junitReport,
  jest: jestReport,
  go: goReport,
  cargo: cargoReport,
  ctest: ctestReport,
  any: anyReport
} satisfies Record<string, ReportParser>

export type ReportFormat = keyof typeof REPORT_PARSERS
