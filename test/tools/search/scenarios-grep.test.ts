// Tests of the scenarios of grep.
// tier: full
import t from 'tap'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, [{ name: 'grep' }])
