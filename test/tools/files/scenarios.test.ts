// tier: full
import t from 'tap'
import fileTools from '../../../src/tools/files/index.ts'
import { runScenarios } from '../../scenarios.ts'

// Patch scenarios have a separate file: together they take too long.
await runScenarios(
  t,
  fileTools.filter(({ name }) => !['apply_patch', 'undo'].includes(name))
)
