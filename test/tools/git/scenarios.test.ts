// Scenarios of the tools that read a repository.
// tier: quick
import t from 'tap'
import gitTools from '../../../src/tools/git/index.ts'
import { runScenarios } from '../../scenarios.ts'

await runScenarios(
  t,
  gitTools.filter(({ effect }) => effect === 'read')
)
