import { newId } from '../src/engine/id.ts'

/**
 * An id for calls without a server. No other test file may use it: commands are found and killed by the id of their call, whoever
 * started them.
 */
export const CALL_ID = newId('tc')
