// tier: full
import t from 'tap'
import fileTools from '../../../src/tools/files/index.ts'
import { runScenarios } from '../../scenarios.ts'

/** The other files of scenarios. */
const ELSEWHERE = ['apply_patch', 'undo', 'copy_file', 'delete_file', 'move_file', 'multi_edit']

await runScenarios(
  t,
  fileTools.filter(({ name }) => !ELSEWHERE.includes(name))
)
