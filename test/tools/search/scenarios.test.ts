// tier: full
import t from 'tap'
import searchTools from '../../../src/tools/search/index.ts'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, searchTools)
