// The result of one check.
import type { CliContext } from '../context.ts'

export interface CheckResult {
  check: string
  /** `warn`: it works, but less well or less safely. */
  state: 'ok' | 'warn' | 'fail'
  found: string
  /** The resolution. */
  cure?: string
}

/** Runs a check; a negative result is not an exception. */
export type DoctorCheck = (context: CliContext) => Promise<readonly CheckResult[]>

export const passResult = (check: string, found: string): CheckResult => ({ check, state: 'ok', found })
export const warnResult = (check: string, found: string, hint: string): CheckResult => ({
  check,
  state: 'warn',
  found,
  cure: hint
})
export const failResult = (check: string, found: string, hint: string): CheckResult => ({
  check,
  state: 'fail',
  found,
  cure: hint
})
