// Tests that every test file belongs to a tier, and that the quick tier holds a smoke test of everything that protects users.
// tier: quick
import { readFileSync } from 'node:fs'
import { globbySync } from 'globby'
import t from 'tap'
import { describeExpensiveFiles } from '../scripts/test/expensive-files.ts'
import { findTestFiles } from '../scripts/test/plan.ts'

/** Whatever they cost or cover, these run on each change. */
const SMOKE_TESTS: Readonly<Record<string, readonly string[]>> = {
  'approvals are bound to a digest of the preview': [
    'test/engine/approvals/whole-preview.test.ts',
    'test/engine/approvals/stale-file.test.ts',
    'test/engine/approvals/stale-file-hidden.test.ts',
    'test/engine/approvals/running-sources.test.ts'
  ],
  'policy and modes': ['test/engine/policy/policy-commands.test.ts', 'test/engine/approvals/session-modes.test.ts'],
  undo: ['test/engine/undo-moved.test.ts', 'test/host/undo-store/write-ahead-log.test.ts'],
  'a killed server': ['test/acceptance/killed.test.ts'],
  'paths do not leave the workspace': ['test/corpus-paths-by-patch.test.ts', 'test/host/files/paths.test.ts'],
  secrets: ['test/text/secrets/secret-matcher.test.ts', 'test/host/secrets/secret-masker.test.ts'],
  sandbox: ['test/host/sandbox/planted.test.ts', 'test/host/sandbox/seccomp/seccomp.test.ts'],
  tokens: ['test/server/tokens.test.ts', 'test/routes/auth.test.ts'],
  MCP: ['test/host/mcp/http-client.test.ts', 'test/host/mcp/oauth.test.ts'],
  'language servers': ['test/host/lsp/unsandboxed.test.ts', 'test/tools/code/doubts.test.ts'],
  'events and the journal': ['test/events/event-streams.test.ts', 'test/events/journal.test.ts'],
  'the network of tools': ['test/host/egress/guard.test.ts', 'test/host/egress/proxy.test.ts'],
  CLI: ['test/cli/ui/approval-prompt.test.ts', 'test/cli/commands/setup/trust.test.ts']
}

const all = findTestFiles('all', [])

t.test('every file is in one tier', async t => {
  t.same(
    all.filter(({ tier }) => tier === undefined).map(({ file }) => file),
    [],
    'each has a line `// tier: quick` or `// tier: full`'
  )
  const tiers = (['quick', 'full', 'e2e'] as const).flatMap(tier => findTestFiles(tier, []))
  t.same(tiers.map(({ file }) => file).toSorted(), all.map(({ file }) => file).toSorted())
})

t.test('folders of tests are removed after the teardowns of the test', async t => {
  const own = ['test/support/test-folder.ts', 'test/tiers.test.ts']
  const direct = globbySync(['test/**/*.ts', '!**/node_modules/**']).filter(
    file => !own.includes(file) && /\bt\.testdir\(/.test(readFileSync(file, 'utf8'))
  )
  t.same(direct, [], 'makeTestFolder of test/support/test-folder.ts is used instead of t.testdir')
})

t.test('the quick tier has a smoke test of everything that protects users', async t => {
  const quick = findTestFiles('quick', []).map(({ file }) => file)
  for (const [what, files] of Object.entries(SMOKE_TESTS))
    t.same(
      files.filter(file => !quick.includes(file)),
      [],
      what
    )
})

t.test(
  'a file of the quick tier that costs as much as many starts of Node, beside others and alone, is named',
  async t => {
    const files = ['a', 'b', 'c'].map((file, i) => ({ file, processorMs: 120 * 20 * (i + 1) }))
    const measured: string[] = []
    const alone = (processorMs: number) => async (file: string) => {
      measured.push(file)
      return { processorMs: file === 'b' ? processorMs : 9_000, startMs: 20 }
    }
    const describe = (file: string, seconds: string) =>
      `${file} takes ${seconds} s of processor time where a start of Node takes 67 ms: a file of the quick tier may take 8.0 s. ` +
      'Split it, or move it to the tier "full".'
    t.same(await describeExpensiveFiles(files, 20, alone(3_000)), [describe('b', '10.1'), describe('c', '24.1')])
    t.same(measured, ['b', 'c'])
    t.same(await describeExpensiveFiles(files, 20, alone(2_400)), [describe('c', '24.1')], 'cheap when alone')
    t.same(await describeExpensiveFiles(files, 60, alone(9_000)), [], 'on a slower machine')
  }
)
