// Scenarios of the other tools that run programs: code, tests, formatters, installations and jobs.
// tier: quick
import t from 'tap'
import commandsTools from '../../../src/tools/commands/index.ts'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(
  t,
  commandsTools.filter(({ name }) => name !== 'shell_exec')
)
