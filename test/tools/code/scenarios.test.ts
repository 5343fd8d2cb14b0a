// tier: quick
import t from 'tap'
import codeTools from '../../../src/tools/code/index.ts'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, codeTools)
