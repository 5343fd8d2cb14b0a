// Scenarios of the searches that use an index or a list of files.
// tier: full
import t from 'tap'
import searchTools from '../../../src/tools/search/index.ts'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(
  t,
  searchTools.filter(({ name }) => !['glob', 'grep'].includes(name))
)
