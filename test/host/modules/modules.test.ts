// Tests of modules in separate processes: imports, calls and shutdown.
// tier: full
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { ToolError } from '../../../src/errors.ts'
import { listModules, readModuleFolder } from '../../../src/host/modules/module-folder.ts'
import { type ModuleOptions, ModuleProcess } from '../../../src/host/modules/module-process.ts'
import { isProcessRunning } from '../../../src/host/processes/pids.ts'
import type { IsolationLevel } from '../../../src/protocol/isolation-levels.ts'
import { needs } from '../../support/needs.ts'
import { startSandboxFixture } from '../sandbox/fixture.ts'

const LIMITS = { memory_bytes: 256 * 1024 * 1024, start_ms: 120_000, answer_bytes: 64 * 1024 }
const FOREVER = new AbortController().signal

/** Returns modules in the folder of a workspace by name, and a function to start one. */
async function modules(t: Test, files: Record<string, string>) {
  const world = await startSandboxFixture(t)
  const path = world.at('workspace/.toolgate/tools')
  const write = (name: string, text: string) => world.write(`workspace/.toolgate/tools/${name}`, text)
  for (const [name, text] of Object.entries(files)) write(name, text)
  const folder = (await readModuleFolder(path))!
  const start = async (
    module: string,
    { level = 'none' as IsolationLevel, ...more }: Partial<ModuleOptions> & { level?: IsolationLevel } = {}
  ) => {
    const options = { folder, module, workspace: world.workspace, isolation: { level, network: [] }, env_allow: [] }
    const own = await ModuleProcess.start({ ...options, limits: LIMITS, ...more }, world)
    t.teardown(() => own.stop('the test is over'))
    return own
  }
  return { ...world, path, write, folder, start }
}

/** Returns the error of a failed start. */
const fault = (starting: Promise<unknown>) =>
  starting.then(
    () => 'it was started',
    (error: { code?: string; message: string }) => `${error.code}: ${error.message}`
  )

t.test('describes and calls a module, and reports its progress', async t => {
  const { start, root } = await modules(t, {
    'greet.ts': `
      import { defineTool, Type } from 'toolgate/tool'
      import { word } from './lib/words.ts'
      const input = Type.Object({ name: Type.String({ description: 'Who.' }) })
      export default defineTool({
        description: 'Greet somebody.',
        input,
        run({ name }, ctx) {
          console.log('printed')
          ctx.progress({ progress: 0.5, message: 'half' })
          ctx.log('logged', { a: 1 })
          return { text: \`\${word}, \${name}\`, root: ctx.workspace.root, cwd: process.cwd() }
        },
        preview: ({ name }) => 'Greet ' + name
      })`,
    'lib/words.ts': `export const word: string = 'Hello'\n`
  })
  const own = await start('greet.ts')
  t.same(own.description, {
    facts: {
      description: 'Greet somebody.',
      input: { type: 'object', required: ['name'], properties: { name: { type: 'string', description: 'Who.' } } }
    },
    functions: ['run', 'preview']
  })
  const told: unknown[] = []
  const context = { workspace: { name: 'default', root } }
  const answer = await own.call('run', [{ name: 'Ada' }], { context, signal: FOREVER, onOutput: one => told.push(one) })
  t.same(answer, { text: 'Hello, Ada', root, cwd: root })
  t.same(
    told.filter(one => !Object.hasOwn(one as object, 'printed')),
    [{ progress: 0.5, message: 'half' }, { log: 'logged { a: 1 }' }]
  )
  const both = ['Bo', 'Cy'].map(name => own.call('preview', [{ name }], { signal: FOREVER }))
  t.same(await Promise.all(both), ['Greet Bo', 'Greet Cy'])
  await own.stop('it is not needed')
  t.notOk(isProcessRunning(own.pid))
  t.match(await fault(own.call('run', [], { signal: FOREVER })), 'it is not needed')
})

t.test('output before the answer is delivered before the answer', async t => {
  const { start } = await modules(t, {
    'prints.mjs': `export default {
      fails: id => { console.error('failing ' + id); throw new Error('no') },
      works: id => { console.log('working ' + id) }
    }`
  })
  const own = await start('prints.mjs')
  for (let id = 0; id < 200; id++) {
    const { details } = (await own.call('fails', [id], { signal: FOREVER }).catch(error => error)) as ToolError
    t.match(details, { printed: `failing ${id}` })
    let printed = ''
    const onOutput = (one: object) => {
      if ('printed' in one) printed += one.printed
    }
    await own.call('works', [id], { signal: FOREVER, onOutput })
    t.equal(printed, `working ${id}\n`)
  }
})

t.test('accepts any module format', async t => {
  const { start } = await modules(t, {
    'plain.mjs': `export default { run: () => 1 }`,
    'plain.js': `export default { run: () => 2 }`,
    'common.js': `module.exports = { run: () => 3 }`,
    'typed.mts': `export default { run: (): number => 4 }`
  })
  const answers = ['plain.mjs', 'plain.js', 'common.js', 'typed.mts'].map(async name =>
    (await start(name)).call('run', [], { signal: FOREVER })
  )
  t.same(await Promise.all(answers), [1, 2, 3, 4])
})

t.test('reports an error in a module with its location', async t => {
  const { start, write } = await modules(t, {
    'syntax.ts': `const a = 1\nexport default { run( }\n`,
    'plain.js': `const a = 1\nexport default { run( }\n`,
    'none.ts': `export const a = 1\n`,
    'list.ts': `export default []\n`,
    'throws.ts': `\nthrow new Error('not today')\n`,
    'enums.ts': `enum A { B }\nexport default { a: A.B }\n`,
    'missing.ts': `import './gone.ts'\nexport default {}\n`,
    'out.ts': `import '../../outside.js'\nexport default {}\n`,
    'inner.ts': `import '#outside'\nexport default {}\n`,
    'own.ts': `import 'project/outside'\nexport default {}\n`,
    'package.ts': `import 'no-such-package'\nexport default {}\n`,
    'ends.ts': `process.exit(3)\n`,
    'waits.ts': `await new Promise(resolve => setTimeout(resolve, 60_000))\nexport default {}\n`,
    'changed.ts': `export default {}\n`,
    'answers.ts': `
      export default {
        text: () => 'x'.repeat(100_000),
        circle() { const a = {}; a.a = a; return a },
        nothing() {},
        throws() { throw new Error('in vain') },
        odd() { throw 'a text' },
        ends() { console.error('last words'); process.exit(4) }
      }`
  })
  write('changed.ts', `export default { changed: true }\n`)
  write('../../outside.js', '')
  const names = { imports: { '#outside': './outside.js' }, exports: { './outside': './outside.js' } }
  write('../../package.json', JSON.stringify({ name: 'project', ...names }))
  const faults = [
    'syntax',
    'none',
    'list',
    'throws',
    'enums',
    'missing',
    'out',
    'inner',
    'own',
    'package',
    'ends',
    'changed'
  ].map(async name => [name, await fault(start(`${name}.ts`))] as const)
  faults.push(fault(start('plain.js')).then(told => ['plain', told] as const))
  t.match(Object.fromEntries(await Promise.all(faults)), {
    syntax: /^EXECUTION_ERROR: .+\(syntax\.ts:2\)$/s,
    plain: /^EXECUTION_ERROR: Unexpected token.+\(plain\.js\)$/,
    none: 'EXECUTION_ERROR: The module has no default export.',
    list: 'EXECUTION_ERROR: The default export of the module is not an object.',
    throws: 'EXECUTION_ERROR: not today (throws.ts:2)',
    enums: /^EXECUTION_ERROR: .*enum.*\(enums\.ts:1\)$/is,
    missing: /^EXECUTION_ERROR: Cannot find module .*gone\.ts/,
    out: "EXECUTION_ERROR: The module imports ../../outside.js, which is outside the module's folder. Imports by path must stay inside this folder.",
    inner:
      "EXECUTION_ERROR: The module imports #outside, which is outside the module's folder. Imports by path must stay inside this folder.",
    own: "EXECUTION_ERROR: The module imports project/outside, which is outside the module's folder. Imports by path must stay inside this folder.",
    package: /^EXECUTION_ERROR: Cannot find package 'no-such-package'/,
    ends: 'EXECUTION_ERROR: The module ends.ts does not answer: the module exited with code 3.',
    changed: 'EXECUTION_ERROR: changed.ts has changed since it was checked.'
  })
  t.match(
    await fault(start('waits.ts', { limits: { ...LIMITS, start_ms: 300 } })),
    'The module waits.ts does not answer: the module was not loaded within 300 ms.'
  )

  const own = await start('answers.ts')
  const failed = (name: string) => fault(own.call(name, [], { signal: FOREVER }))
  t.match(await failed('circle'), /^EXECUTION_ERROR: Converting circular structure/)
  t.match(await failed('throws'), /^EXECUTION_ERROR: in vain \(answers\.ts:6\)$/)
  t.equal(await failed('odd'), 'EXECUTION_ERROR: a text')
  t.equal(await own.call('nothing', [], { signal: FOREVER }), null)
  const both = await Promise.allSettled(['ends', 'nothing'].map(name => own.call(name, [], { signal: FOREVER })))
  t.match(both[0], {
    status: 'rejected',
    reason: { message: /the module exited with code 4/, details: { module: 'answers.ts', printed: 'last words' } }
  })
  const other = await start('answers.ts')
  t.match(await fault(other.call('text', [], { signal: FOREVER })), 'the program sent more than 65536 bytes at once.')
})

t.test('a cancelled call ends, with its process if it ignores that', async t => {
  const { start } = await modules(t, {
    'waits.mjs': `
      export default {
        heeds: ctx => new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))),
        hangs(ctx) { ctx.progress({ message: 'on' }); for (;;); },
        fine: () => 'fine'
      }`
  })
  const own = await start('waits.mjs')
  const cancel = new AbortController()
  const reason = new Error('enough')
  const heeding = own.call('heeds', [], { signal: cancel.signal })
  cancel.abort(reason)
  await t.rejects(heeding, reason)
  t.equal(await own.call('fine', [], { signal: FOREVER }), 'fine')

  const again = new AbortController()
  const hanging = own.call('hangs', [], { signal: again.signal, onOutput: () => again.abort(reason) })
  await t.rejects(hanging, reason)
  await own.ended
  t.ok(own.hasExited)
})

t.test('runs in the sandbox, with a clean environment', needs('sandbox'), async t => {
  const { start, root, at } = await modules(t, {
    'acts.ts': `
      import { writeFileSync, readdirSync } from 'node:fs'
      import { execFileSync } from 'node:child_process'
      const tried = (act: () => unknown) => { try { act(); return 'done' } catch (error: any) { return error.code } }
      export default {
        writes: (file: string) => tried(() => writeFileSync(file, 'x')),
        reads: (folder: string) => tried(() => readdirSync(folder)),
        runs: () => execFileSync('sh', ['-c', 'echo "$SECRET_OF_MINE"; ls /proc/self/fd | wc -l']).toString(),
        names: () => Object.keys(process.env)
      }`
  })
  const doing = (level: IsolationLevel) =>
    start('acts.ts', { level }).then(
      own =>
        (name: string, ...args: unknown[]) =>
          own.call(name, args, { signal: FOREVER })
    )
  const strict = await doing('read-only')
  t.equal(await strict('writes', 'a.txt'), 'EROFS')
  t.equal(await strict('writes', '/tmp/a.txt'), 'done')
  t.equal(await strict('reads', at('outside')), 'ENOENT')
  const kept = await doing('workspace')
  t.equal(await kept('writes', 'a.txt'), 'done')
  t.ok(existsSync(`${root}/a.txt`))
  t.equal(await kept('writes', '.toolgate/tools/acts.ts'), 'EROFS', 'what it is made of stays')
  t.match(readFileSync(`${root}/.toolgate/tools/acts.ts`, 'utf8'), 'readdirSync')
  t.notOk(((await kept('names')) as string[]).some(name => /TOKEN|SECRET|TOOLGATE/.test(name)))
  t.equal(await kept('runs'), '\n4\n', 'what it starts finds no pipes of ours')
})

t.test('loads a folder of modules', async t => {
  const { folder, path, write, at } = await modules(t, {
    'a.ts': '1',
    'b.mjs': '2',
    '_help.ts': '3',
    'a.test.ts': '4',
    'a.d.ts': '5',
    'lib/c.ts': '6',
    'data.json': '7',
    'node_modules/p/index.js': '8'
  })
  t.same(listModules(folder), ['a.ts', 'b.mjs'])
  t.same(Object.keys(folder.files), ['_help.ts', 'a.d.ts', 'a.test.ts', 'a.ts', 'b.mjs', 'data.json', 'lib/c.ts'])
  t.same(await readModuleFolder(path), folder)
  write('lib/c.ts', '60')
  t.not((await readModuleFolder(path))!.sha256, folder.sha256, 'a change of any file is one of the whole')
  t.equal(await readModuleFolder(at('nowhere')), undefined)
  symlinkSync(path, at('link'))
  await t.rejects(readModuleFolder(at('link')), /is reached through a link/)
  for (let i = 0; i < 501; i++) write(`many/${i}.txt`, '')
  await t.rejects(readModuleFolder(path), /more than 500 files/)
})
