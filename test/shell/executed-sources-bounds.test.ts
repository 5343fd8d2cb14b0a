// Tests of the sources that a command line executes: bounds, and arbitrary lines and files. Nothing here is ever run.
// tier: full
import fc from 'fast-check'
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { findExecutedSources } from '../../src/shell/executed/executed-sources.ts'
import { runs } from '../support/property.ts'
import { find, pkg, words } from './executed-sources-fixture.ts'

t.test('bounds the number of sources and of lines', async t => {
  const names = Array.from({ length: 60 }, (_, index) => `x${index}`)
  const scripts = Object.fromEntries(names.map(name => [name, `sh ${name}`]))
  const many = find(`npm run all`, {
    'package.json': pkg({ all: 'run-p x*', ...scripts }),
    ...Object.fromEntries(names.map(name => [name, '']))
  })
  t.equal(many.sources.length, 50)
  t.ok(many.unknown.includes('Executes more than 50 files.'))
  const chains = Array.from({ length: 300 }, (_, index) => [`a${index}`, [`@a${index + 1}`, `echo ${index}`]])
  t.ok(find('composer a0', { 'composer.json': pkg(Object.fromEntries(chains)) }).sources.length <= 50)
  t.ok(
    find('npx '.repeat(10_000), {}).unknown.includes(
      'The list of executed files is incomplete: too many commands are run.'
    )
  )
  t.strictSame(find('npm test', { 'package.json': ' '.repeat(1_000_001) }).unknown, [
    'package.json is too long: the files that it executes are not listed.',
    'The scripts of package.json cannot be read.'
  ])
})

t.test('takes time that is linear in the text of files', async t => {
  const texts = ['\n', '\t', ' ', '/*', ', ', '"\\', '\t./x $(A)\n', ' a: ', '- ', 'include ', '$(a ']
  /** Returns the processor time of all searches in texts of this many repetitions. */
  const search = (times: number): number => {
    const before = process.cpuUsage()
    for (const text of texts)
      for (const [line, name] of [
        ['make', 'Makefile'],
        ['task', 'Taskfile.yml'],
        ['just', 'justfile'],
        ['cargo build', 'Cargo.toml'],
        ['deno task x', 'deno.json'],
        ['pnpm --filter x test', 'pnpm-workspace.yaml'],
        ['yarn test', '.yarnrc.yml']
      ] as const)
        t.ok(find(line, { [name]: text.repeat(times), 'package.json': pkg({ test: 'true' }) }))
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  // The first search also compiles the code.
  search(1_000)
  const [short, long] = [search(12_500), search(50_000)]
  t.ok(
    long < 10 * short,
    `four times the text took ${long / short} times the processor time; 16 times would be quadratic`
  )
})

const WORDS = words(
  'sh bash -c -x x ./x ../x /x a/../../x npm run test npx jest -w -C --prefix --filter .. make -f Makefile python -m mod ' +
    'node --run --test -r env A=1 cd && | ; < $X xargs uv docker compose build cargo composer deno task eslint pytest --config - --'
)
const NAMES = words(
  'x a/x package.json a/package.json Makefile jest.config.js composer.json deno.json Cargo.toml conftest.py a/conftest.py ' +
    '.yarnrc.yml pnpm-workspace.yaml justfile Taskfile.yml node_modules/.bin/jest eslint.config.js build.rs'
)
const text = fc.oneof(
  fc.string(),
  fc.json(),
  fc.constantFrom(
    pkg({ test: 'npm run x', x: '../x && ./a/../../x && sh x' }),
    pkg({ test: ['@test', '../x'], x: null }),
    '{"main":"../../x","workspaces":["../*","/x"],"name":"x","tasks":{"x":"sh ../../x"}}',
    'include ../../x /x x\n\t../x\n\t$(MAKE) -C ..\n',
    'yarnPath: ../../x\n'
  )
)

t.test('never throws, never leaves the root, and is deterministic', async () => {
  const line = fc.oneof(
    fc.array(fc.constantFrom(...WORDS), { maxLength: 10 }).map(all => all.join(' ')),
    fc.string()
  )
  const files = fc.dictionary(fc.constantFrom(...NAMES), text)
  fc.assert(
    fc.property(line, files, fc.constantFrom('.', '', 'a', 'a/b', '..', '/x'), (line, files, cwd) => {
      const isInside = (path: string) => !path.startsWith('/') && !path.split('/').includes('..') && path !== ''
      const { parts } = analyzeCommandLine(line, { paths: [], pids: [] })
      const used: string[] = []
      const search = () =>
        findExecutedSources({ text: line, parts }, cwd, {
          read: path => {
            used.push(path)
            return Object.hasOwn(files, path) ? files[path] : undefined
          },
          locate: () => undefined,
          isThere: path => Object.hasOwn(files, path),
          exists: path => {
            used.push(path)
            return Object.hasOwn(files, path)
          }
        })
      const found = search()
      return (
        found.sources.every(({ path }) => isInside(path)) &&
        used.every(isInside) &&
        found.sources.length <= 50 &&
        JSON.stringify(search()) === JSON.stringify(found)
      )
    }),
    runs(2_000)
  )
})
