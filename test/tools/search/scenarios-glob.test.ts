// Tests of the scenarios of glob.
// tier: quick
import t from 'tap'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, [{ name: 'glob' }])
