// Compares the facts of the source documents with the toolsets of a server: names, params, required ones, time limits.
// tier: quick
import t, { type Test } from 'tap'
import { TOOLSETS } from '../../src/catalog/toolsets/index.ts'
import { scriptedServer, withMcpServers } from '../host/mcp/scripted-settings.ts'
import { type Json, startApp } from '../start-app.ts'
import { type DocumentedTool, SOURCE_DOCUMENTS } from './source-documents.ts'

t.test('there is a document for each toolset but the native one', async t => {
  t.same(
    SOURCE_DOCUMENTS.map(({ toolset }) => toolset),
    TOOLSETS.map(({ name }) => name).filter(name => name !== 'native')
  )
})

t.test('the tools of each document are served as documented, or a reason is given', async t => {
  const app = await startApp(
    t,
    {},
    { settings: withMcpServers({ scripted: scriptedServer('plain', { disabled: true }) }) }
  )
  for (const { toolset, tools, additions } of SOURCE_DOCUMENTS) {
    const listed: Json[] = (await app.get(`/tools?toolset=${toolset}`)).tools
    for (const tool of tools) {
      const served = listed.find(({ name }) => name === tool.name)
      t.ok(served, `${toolset} ${tool.name}`)
      if (served) compare(t, tool, served)
    }
    const { prefix, servesAll, passthroughCategories } = TOOLSETS.find(({ name }) => name === toolset)!
    const known = [...tools.map(({ name }) => name), ...(additions?.names ?? [])]
    const others = listed.filter(
      ({ name, category }) => !known.includes(name) && !passthroughCategories.includes(category)
    )
    if (!servesAll) t.same(others, [], `${toolset} has no other tools`)
    for (const { name, category, input } of servesAll ? listed : []) {
      t.match(input.properties.background, { type: 'boolean' }, name)
      if (!passthroughCategories.includes(category)) t.ok(name.startsWith(prefix), name)
    }
  }
})

function compare(t: Test, tool: DocumentedTool, { name, input, timeout_ms }: Json) {
  const { params, optional = [], added = [] } = tool
  if (tool.timeout_ms !== undefined) t.equal(timeout_ms, tool.timeout_ms, `${name}: time limit`)
  if (params === undefined) return
  const documented = params === '' ? [] : params.split(', ')
  const names = [...documented.map(param => param.replace('?', '')), ...added]
  t.same(Object.keys(input.properties).sort(), names.sort(), `${name}: params`)
  const required = documented.filter(param => !param.endsWith('?') && !optional.includes(param))
  t.same([...(input.required ?? [])].sort(), required.sort(), `${name}: required params`)
  if (optional.length + added.length > 0) t.equal(typeof tool.reason, 'string', `${name}: a difference has a reason`)
}
