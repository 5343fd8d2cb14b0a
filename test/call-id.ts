import { newId } from '../src/engine/id.ts'

/** For calls that no server made. No other test file has it: commands are found again by the id of their call, and ended
 * by it, whoever started them. */
export const CALL_ID = newId('tc')
