// Tests of the scenarios of groups that have few of them.
// tier: quick
import t from 'tap'
import editorTools from '../../src/tools/editor/index.ts'
import { TOOLS } from '../../src/tools/index.ts'
import mcpTools from '../../src/tools/mcp/index.ts'
import sessionTools from '../../src/tools/session/index.ts'
import webTools from '../../src/tools/web/index.ts'
import { foldersIn, runScenarios, SCENARIOS } from '../scenarios.ts'

await runScenarios(t, [...webTools, ...sessionTools, ...editorTools, ...mcpTools])

t.test('every built-in tool has a scenario', async t => {
  t.strictSame(foldersIn(SCENARIOS), TOOLS.map(({ name }) => name).sort())
})
