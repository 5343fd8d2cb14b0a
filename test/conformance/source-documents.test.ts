// Compares the facts of the source documents with the toolsets of a server: names, params, required ones, time limits.
// tier: full
// run: cheap
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { TOOLSETS } from '../../src/catalog/toolsets/index.ts'
import { defaultSettings } from '../../src/config/merge.ts'
import { createFakeNetwork } from '../host/egress/fake-network.ts'
import { scriptedServer, withMcpServers } from '../host/mcp/scripted-settings.ts'
import { runSteps } from '../scenario-fixture.ts'
import { type Json, startApp, type TestApp } from '../start-app.ts'
import type { Check, DocumentedTool } from './source-documents/document.ts'
import { SOURCE_DOCUMENTS } from './source-documents.ts'

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

const FILES: Record<string, string> = { 'a.txt': 'one\ntwo\n', 'dir/b.txt': 'b\n', 'untracked.txt': 'new\n' }

/** A repository with an upstream, and a file that it does not have. */
const REPOSITORY = [
  ['init'],
  ['config', 'user.name', 'Ada'],
  ['config', 'user.email', 'ada@example.com'],
  ['add', 'a.txt', 'dir'],
  ['commit', '-m', 'First'],
  ['init', '--bare', '.git/remote.git'],
  ['remote', 'add', 'origin', '.git/remote.git'],
  ['push', '-u', 'origin', 'main']
]

t.test('defaults, approvals and rules are as documented, or as the reason says', async t => {
  // Without a sandbox, code still runs once approved.
  const sandbox = { ...defaultSettings().sandbox, level: 'none', run_code: 'ask' } as const
  const app = await startApp(t, FILES, { settings: { sandbox }, network: createFakeNetwork(undefined) })
  runSteps(app.root, REPOSITORY)
  for (const { toolset, tools, rules } of SOURCE_DOCUMENTS) {
    const claims = tools.filter(({ defaults, approval, reason }) => defaults ?? approval ?? reason)
    for (const [what, check = []] of [
      ...claims.map(({ name, check }) => [name, check] as const),
      ...rules.map(({ rule, check }) => [rule, check] as const)
    ])
      await t.test(`${toolset}: ${what}`, async t => {
        t.ok(check.length > 0, 'it is checked')
        for (const one of check) await runCheck(t, app, toolset, one)
      })
  }
})

async function runCheck(t: Test, app: TestApp, toolset: string, check: Check) {
  if ('unchecked' in check) return t.not(check.unchecked, '')
  if ('test' in check) return assertTestExists(t, check.test)
  if ('get' in check) return t.match(await app.get(check.get), check.gives)
  if ('explain' in check) {
    for (const [name, content] of Object.entries(FILES)) app.write(name, content)
    const { verdict } = await app.post('/policy/explain', { toolset, ...check.explain })
    return t.equal(verdict?.decision, check.decision, JSON.stringify(check.explain))
  }
  const { tool, params, files, context, waits: asked, rejects, asksUnsandboxed, gives, leaves = {} } = check
  for (const name of Object.keys({ ...files, ...leaves })) rmSync(path.join(app.root, name), { force: true })
  for (const [name, content] of Object.entries({ ...FILES, ...files })) app.write(name, content)
  const given = JSON.parse(JSON.stringify(params).replaceAll('ROOT', app.root))
  const request = { tool, params: given, ...(context !== undefined && { context }) }
  const first = await app.request('POST', `/calls?toolset=${toolset}`, request)
  const waits = asksUnsandboxed && first.status === 202 ? {} : asked
  t.equal(first.status === 202, waits !== undefined, JSON.stringify(first.body))
  if (waits === undefined) t.match(first.body, gives)
  else {
    t.match(first.body, waits)
    const tool_call_id = first.body.tool_call_id ?? first.body.stepId ?? first.body.call_id
    const { digest } = first.body
    const [route, decision] = rejects ? ['reject', rejects] : ['approve', { digest, confirm: true }]
    await app.post(`/${route}?wait_ms=120000`, { tool_call_id, ...decision })
    t.match(await app.get(`/calls/${tool_call_id}?toolset=${toolset}&wait_ms=120000`), gives)
  }
  for (const [name, content] of Object.entries(leaves)) t.equal(app.read(name), content, name)
  for (const name of Object.keys(files ?? {})) rmSync(path.join(app.root, name), { force: true })
}

function assertTestExists(t: Test, test: string) {
  const [file, title] = test.split(' > ') as [string, string]
  const full = path.resolve('test', file)
  return t.ok(title !== '' && existsSync(full) && readFileSync(full, 'utf8').includes(title), test)
}
