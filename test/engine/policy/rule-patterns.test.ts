// Tests of rules with a pattern: the text they match against; undecidable cases require approval.
// tier: quick
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { CallFacts } from '../../../src/engine/policy/policy-input.ts'
import { validateMatch, validateRule } from '../../../src/engine/policy/rule-validation.ts'
import { ruleMatches } from '../../../src/engine/policy/rules.ts'
import type { ConfiguredRule, RuleMatch } from '../../../src/protocol/rules.ts'
import { loadParsers } from '../../../src/shell/tree-sitter.ts'
import { loadPatternEngine, MAX_PATTERN_TEXT_LENGTH, patternMatches } from '../../../src/text/re2-pattern.ts'
import { primaryParam } from '../../../src/tool/primary-param.ts'
import { TOOLS } from '../../../src/tools/index.ts'
import { startApp } from '../../start-app.ts'
import { fakeCommand } from '../fake-command.ts'

await loadParsers()
await loadPatternEngine()

const facts = (params: unknown, more: Partial<CallFacts> = {}): CallFacts => ({
  tool: 'x',
  category: 'files',
  effect: 'write',
  paths: [],
  client: 'test',
  params,
  primary: 'path',
  ...more
})
const shell = (command: string, more: Partial<CallFacts> = {}): CallFacts =>
  facts({ command, cwd: '.' }, { primary: 'command', category: 'commands', command: fakeCommand(command), ...more })

t.test('a pattern matches the whole text of a param', async t => {
  const found = { path: 'src/b.ts', given: 'lib/../src/b.ts', access: 'write' as const }
  const url = 'https://good.example@bad.example/x'
  const cases: [string, RuleMatch, CallFacts, allow: boolean, deny: boolean | 'unclear'][] = [
    ['the primary param', { pattern: 'src/.*' }, facts({ path: 'src/a' }), true, true],
    ['never a part of it', { pattern: 'src' }, facts({ path: 'src/a' }), false, false],
    ['anchors change nothing', { pattern: '^src/a$' }, facts({ path: 'src/a' }), true, true],
    ['one that is named', { param: 'query', pattern: 'docs .*' }, facts({ path: 'x', query: 'docs a' }), true, true],
    ['one that is not there', { param: 'query', pattern: '.*' }, facts({ path: 'x' }), false, false],
    ['none of its own', { param: 'constructor', pattern: '.*' }, facts({ path: 'x' }), false, false],
    ['null', { pattern: '.*' }, facts({ path: null }), false, false],
    ['a tool without params', { pattern: '.*' }, facts({}, { primary: undefined }), false, false],
    ['no params at all', { pattern: '.*' }, facts(undefined), false, false],
    ['a number', { param: 'n', pattern: '[0-9]' }, facts({ n: 7 }), true, true],
    ['a truth value', { param: 'force', pattern: 'true' }, facts({ force: true }), true, true],
    ['a list, all of it', { param: 'all', pattern: 'a.' }, facts({ all: ['ab', 'ac'] }), true, true],
    ['a list, some of it', { param: 'all', pattern: 'a.' }, facts({ all: ['ab', 'b'] }), false, true],
    ['an empty list', { param: 'all', pattern: '.*' }, facts({ all: [] }), false, false],
    ['a table', { param: 'o', pattern: '.*' }, facts({ o: { a: 1 } }), false, 'unclear'],
    ['a list with a table', { param: 'o', pattern: '.*' }, facts({ o: ['a', {}] }), false, 'unclear'],
    ['a path by where it leads', { pattern: 'src/.*' }, facts({ path: found.given }, { paths: [found] }), true, true],
    ['and to deny as written', { pattern: 'lib/.*' }, facts({ path: found.given }, { paths: [found] }), false, true],
    [
      'a URL as it is asked for',
      { param: 'url', pattern: 'https://bad\\.example/.*' },
      facts({ url: 'https://BAD.example' }, { url: 'https://BAD.example' }),
      true,
      true
    ],
    ['not what it looks like', { param: 'url', pattern: 'https://good.*' }, facts({ url }, { url }), true, true],
    ['past a line feed, to deny', { pattern: 'a.*b' }, facts({ path: 'a\nb' }), false, true],
    [
      'a text too long to try',
      { pattern: '.*' },
      facts({ path: 'a'.repeat(MAX_PATTERN_TEXT_LENGTH + 1) }),
      false,
      'unclear'
    ]
  ]
  for (const [name, match, asked, allow, deny] of cases) {
    t.equal(ruleMatches({ effect: 'allow', match }, asked), allow, `allow: ${name}`)
    t.equal(ruleMatches({ effect: 'deny', match }, asked), deny, `deny: ${name}`)
    t.equal(ruleMatches({ effect: 'ask', match }, asked), deny, `ask: ${name}`)
  }
})

t.test('matches the text of a command part by part', async t => {
  const npm: RuleMatch = { pattern: 'npm (test|run lint).*' }
  const allow = (asked: CallFacts, match = npm) => ruleMatches({ effect: 'allow', match }, asked)
  t.ok(allow(shell('npm test -- --watch=false')))
  t.ok(allow(shell('npm run lint && npm test')), 'each part')
  t.ok(allow(shell('ls && npm test')), 'beside what merely reads')
  t.notOk(allow(shell('npm test && rm -rf x')))
  t.notOk(allow(shell('npm test && rm -rf x'), { pattern: '.*npm.*' }), 'a pattern never reaches over an operator')
  t.notOk(allow(shell('npm test $X')), 'what is not literal')
  t.notOk(allow(shell('npm test', { modifiers: ['env'] })), 'an environment of its own')
  t.notOk(allow(shell('npm test', { command: { ...fakeCommand('npm test'), cwd: 'sub' } })), 'another folder')
  t.ok(allow(shell('npm test', { command: { ...fakeCommand('npm test'), cwd: 'sub' } }), { ...npm, cwd: 'sub' }))
  t.ok(allow(shell('npm test'), { ...npm, command: 'npm', mode: 'prefix' }), 'with a command both must hold')
  t.notOk(allow(shell('npm test'), { ...npm, command: 'npm run', mode: 'prefix' }))
  t.notOk(allow(shell('npm test'), { pattern: 'npm x', command: 'npm test' }))
  t.ok(allow(shell('npm test'), { param: 'cwd', pattern: '\\.' }), 'another param is one text')

  const deny = (command: string, pattern: string) => ruleMatches({ effect: 'deny', match: { pattern } }, shell(command))
  t.equal(deny('ls && /usr/bin/curl x', 'curl .*'), true, 'by the program, whatever folder it is in')
  t.equal(deny('ls', 'curl .*'), false)
  t.equal(deny('ls $X', 'curl .*'), 'unclear')
})

t.test('rules that cover a line together may be patterns', async t => {
  const { call, request } = await startApp(t)
  for (const pattern of ['touch a\\d', 'mkdir .*'])
    await request('POST', '/rules', { effect: 'allow', scope: 'user', match: { tool: 'shell_exec', pattern } })
  t.match(await call('shell_exec', { command: 'mkdir b && touch a1' }), { approved_by: { source: 'rule' } })
  t.equal((await call('shell_exec', { command: 'mkdir c && touch d' })).status, 'awaiting_approval')
})

t.test('matches a pattern on a path against its resolved target', async t => {
  const allow = { effect: 'allow' as const, match: { tool: 'write_file', pattern: 'docs/.*' } }
  const { call, root } = await startApp(
    t,
    { 'docs/a.md': 'a', 'src/a.ts': 'a' },
    { settings: { tiers: { administrator: [], user: [allow], workspace: [] } } }
  )
  symlinkSync('../src', path.join(root, 'docs/link'))
  const overwrite = async (file: string) => (await call('write_file', { path: file, content: 'new' })).status
  t.equal(await overwrite('docs/a.md'), 'success')
  t.equal(await overwrite('docs/../src/a.ts'), 'awaiting_approval')
  t.equal(await overwrite('docs/link/a.ts'), 'awaiting_approval')
})

t.test('no preview reveals what a pattern rule protects from reading', async t => {
  const match = { tool: 'read_file', pattern: 'private/.*' }
  const { root, call } = await startApp(
    t,
    {},
    { settings: { tiers: { administrator: [], user: [{ effect: 'deny', match }], workspace: [] } } }
  )
  mkdirSync(path.join(root, 'private'))
  writeFileSync(path.join(root, 'private/a.txt'), 'the content\n')
  t.match(await call('read_file', { path: 'private/a.txt' }), { status: 'rejected' })
  const { approval } = await call('write_file', { path: 'private/a.txt', content: 'new\n' })
  t.notMatch(JSON.stringify(approval.preview), 'the content')
})

t.test('reports an invalid pattern, and one that its examples contradict', async t => {
  const faults = (match: RuleMatch, examples: ConfiguredRule['examples'] = {}) =>
    validateRule({ effect: 'allow', match, examples })
  t.strictSame(await faults({ pattern: 'a+' }), [])
  for (const pattern of ['(', '(?=a)', '(a)\\1', 'a{9999}', '((a{100}){100}){100}'])
    t.match(await faults({ pattern }), [/^pattern: .*RE2/], pattern)
  t.strictSame(await faults({ tool: 'x', param: 'a' }), ['param is only for rules with pattern'])
  t.strictSame(await faults({ pattern: 'a.*' }, { match: ['ab'], no_match: ['b', 'bab'] }), [])
  t.equal((await faults({ pattern: 'a.*' }, { match: ['b'], no_match: ['ab'] })).length, 2)
  const npm: RuleMatch = { param: 'command', pattern: 'npm .*' }
  t.strictSame(await faults(npm, { match: ['npm test'], no_match: ['npm test && rm -rf x'] }), [])

  const { request } = await startApp(t)
  const { status, body } = await request('POST', '/rules', { effect: 'allow', scope: 'user', match: { pattern: '(' } })
  t.match([status, body.code, body.errors], [400, 'INVALID_PARAMS', [{ pointer: '/match', message: /^pattern: / }]])
})

t.test('a saved pattern applies after a restart', async t => {
  const first = await startApp(t, { 'a.txt': 'one' })
  const match = { tool: 'write_file', pattern: 'a\\..*' }
  await first.request('POST', '/rules', { effect: 'allow', scope: 'user', match })
  await first.close()
  const again = await startApp(t, {}, { folder: first.folder })
  t.equal((await again.call('write_file', { path: 'a.txt', content: 'two' })).status, 'success')
})

t.test('every tool has a subject for patterns', async t => {
  const primaries = Object.fromEntries(TOOLS.map(tool => [tool.name, primaryParam(tool)]))
  t.match(primaries, {
    read_file: 'path',
    shell_exec: 'command',
    run_code: 'code',
    grep: 'pattern',
    todo_read: undefined
  })
  for (const { name, input, traits: { primary } = {} } of TOOLS)
    if (primary !== undefined) t.ok(Object.hasOwn((input as { properties: object }).properties, primary), name)
})

t.test('no pattern is slow or throws, for any text', async () => {
  const pattern = fc
    .stringMatching(/^[ab.*+?|()[\]\\^$]{1,12}$/)
    .filter(each => validateMatch({ pattern: each }).length === 0)
  fc.assert(
    fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '😀') }), (given, text) => {
      const [narrow, wide] = [patternMatches(given, text, 'line'), patternMatches(given, text, 'text')]
      // Everything a rule would allow, it would also deny.
      return typeof narrow === 'boolean' && typeof wide === 'boolean' && (!narrow || wide)
    })
  )
  // A pattern that no backtracking engine would finish.
  patternMatches('(a+)+(a|aa)*b', 'a'.repeat(MAX_PATTERN_TEXT_LENGTH), 'text')
})
