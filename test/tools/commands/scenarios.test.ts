// tier: quick
import t from 'tap'
import commandsTools from '../../../src/tools/commands/index.ts'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, commandsTools)
