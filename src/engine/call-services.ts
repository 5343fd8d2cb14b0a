// Services of a call: what its tool may use from the submission to the end.
import type { RunContext } from '../tool/contexts.ts'

export type CallServices = Omit<RunContext, 'command' | 'history'>
