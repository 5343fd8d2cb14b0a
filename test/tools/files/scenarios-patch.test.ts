// tier: full
import t from 'tap'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, [{ name: 'apply_patch' }, { name: 'undo' }])
