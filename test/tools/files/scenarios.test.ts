// tier: quick
import t from 'tap'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(t, [{ name: 'copy_file' }, { name: 'delete_file' }, { name: 'move_file' }, { name: 'multi_edit' }])
