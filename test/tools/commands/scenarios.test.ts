// Scenarios of commands that end with their call.
// tier: quick
import t from 'tap'
import shellExec from '../../../src/tools/commands/shell_exec.ts'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, [shellExec])
