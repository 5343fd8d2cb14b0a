// tier: full
import { chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Json } from '../../start-app.ts'
import { hostile, plainly, READS } from './attack-fixture.ts'

const CORPUS: { cases: Json[] } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../corpus/args.json'), 'utf8')
)

const SIGNED = `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904
author Ada <ada@example.com> 1700000000 +0000
committer Ada <ada@example.com> 1700000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 
 iQ==
 -----END PGP SIGNATURE-----

Signed
`

t.test('the corpus', async t => {
  const ours = new Set(['git.diff', 'git.blame', 'git.status', 'git.*'])
  const cases = CORPUS.cases.filter(({ tool }) => ours.has(tool))
  t.ok(cases.length >= 12)
  for (const { id, tool, args, why } of cases)
    await t.test(`${id}: ${why}`, async t => {
      const app = await hostile(t)
      const filled = (value: string) => value.replaceAll('{{T}}', app.folder)
      const { setup = {} } = args
      for (const [key, value] of Object.entries<string>(setup.git_config ?? {})) plant(app, key, filled(value))
      if (setup.nested_bare_repo) {
        app.git(['init', '-q', '--bare', 'r/sub'])
        app.git(['config', 'core.bare', 'false'], { in: 'r/sub' })
        app.git(['config', 'core.worktree', '.'], { in: 'r/sub' })
        app.git(['config', 'core.fsmonitor', `touch ${app.canary}`], { in: 'r/sub' })
        for (const [name, params] of READS('r/sub')) t.equal((await app.call(name, params)).status, 'error', name)
      } else if (setup.git_config) {
        for (const answer of await app.readAll())
          t.equal(answer.status, 'success', `${answer.tool}: ${answer.error?.message}`)
      } else if (tool === 'git.diff') {
        const call = await app.call('git_diff', { base: args.ref, path: `r/${filled(args.paths[0])}` })
        // A path like any other, which does not exist.
        t.match(call, { status: 'error', error: { code: 'FILE_NOT_FOUND' } })
      } else {
        const { path: file, ref, ...others } = args
        const params = { path: `r/${file}`, ...(ref && { rev: filled(ref) }), ...others }
        const answer = await app.request('POST', '/calls', { tool: 'git_blame', params })
        t.match(answer.body.error?.code ?? answer.body.code, 'INVALID_PARAMS')
      }
      t.notOk(app.fired())
    })
})

/** Writes a setting, and the requirements given in brackets. */
function plant(app: Awaited<ReturnType<typeof hostile>>, about: string, value: string) {
  const [, key = '', more = ''] = /^(\S+)(.*)$/s.exec(about) ?? []
  const [, attributes] = /\*\.txt (\S+)/.exec(more) ?? []
  app.git(['config', key, value], { in: 'r' })
  if (attributes) app.write('r/.gitattributes', `*.txt ${attributes.replace(/\)$/, '')}\n`)
  if (!more.includes('signed commit')) return
  const script = `#!/bin/sh\ntouch ${app.canary}\n`
  writeFileSync(value, script)
  chmodSync(value, 0o755)
  app.git(['config', 'log.showSignature', 'true'], { in: 'r' })
  const oid = app.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { in: 'r', input: SIGNED })
  app.git(['replace', '--graft', 'HEAD', oid], { in: 'r' })
}

t.test('runs none of the programs that plain git runs', async t => {
  const planted: { name: string; settings: [string, string][]; attributes?: string; plain?: string[] }[] = [
    { name: 'fsmonitor', settings: [['core.fsmonitor', 'touch CANARY;true']], plain: ['status'] },
    { name: 'external diff', settings: [['diff.external', 'touch CANARY;true']], plain: ['diff'] },
    { name: 'diff driver', settings: [['diff.x.command', 'touch CANARY;true']], attributes: 'diff=x', plain: ['diff'] },
    { name: 'textconv', settings: [['diff.x.textconv', 'touch CANARY;cat']], attributes: 'diff=x', plain: ['blame', 'a.txt'] },
    { name: 'clean filter', settings: [['filter.x.clean', 'touch CANARY;cat']], attributes: 'filter=x', plain: ['diff'] },
    { name: 'odd filter name', settings: [['filter.a b.c=d.clean', 'touch CANARY;cat']], attributes: 'filter=x' },
    { name: 'process filter', settings: [['filter.x.process', 'touch CANARY;cat'], ['filter.x.required', 'true']], attributes: 'filter=x', plain: ['diff'] },
    { name: 'hooks', settings: [['core.hooksPath', 'HOOKS']], plain: ['status'] },
    { name: 'pager', settings: [['core.pager', 'touch CANARY'], ['pager.log', 'touch CANARY']] },
    { name: 'merge driver', settings: [['merge.x.driver', 'touch CANARY']], attributes: 'merge=x' },
    { name: 'fetching what is missing', settings: [['extensions.partialClone', 'evil'], ['remote.evil.url', 'ext::touch CANARY'], ['remote.evil.promisor', 'true'], ['protocol.ext.allow', 'always'], ['protocol.allow', 'always']] }
  ] // biome-ignore format: a table
  for (const { name, settings, attributes, plain } of planted)
    await t.test(name, async t => {
      const app = await hostile(t)
      const hooks = path.join(app.folder, 'hooks')
      mkdirSync(hooks)
      for (const hook of ['post-index-change', 'reference-transaction', 'pre-auto-gc']) {
        writeFileSync(path.join(hooks, hook), `#!/bin/sh\ntouch ${app.canary}\n`)
        chmodSync(path.join(hooks, hook), 0o755)
      }
      if (attributes) app.write('r/.gitattributes', `*.txt ${attributes}\n`)
      if (name.startsWith('fetching')) {
        app.git(['config', 'core.repositoryFormatVersion', '1'], { in: 'r' })
        const blob = app.git(['rev-parse', 'HEAD:a.txt'], { in: 'r' })
        rmSync(app.at(`r/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`))
      }
      const setting = (value: string) => value.replaceAll('CANARY', app.canary).replaceAll('HOOKS', hooks)
      for (const [key, value] of settings) app.git(['config', key, setting(value)], { in: 'r' })
      await app.readAll()
      t.notOk(app.fired())
      if (!plain) return
      // Another time with the same content: `git status` writes that to the index.
      utimesSync(app.at('r/b.txt'), new Date('2030-01-01'), new Date('2030-01-01'))
      plainly(app, plain)
      t.ok(app.fired(), 'plain git runs it')
    })
})

t.test('settings from elsewhere count too, and cached ones are read again', async t => {
  const app = await hostile(t)
  const filter = (name: string) => `[filter "${name}"]\n\tclean = touch ${app.canary}; cat\n`
  const attributes = (name: string) => app.write('r/.gitattributes', `*.txt filter=${name}\n`)
  t.equal((await app.readAll())[0].status, 'success')
  const ways: Record<string, () => void> = {
    later: () => app.write('r/.git/config', app.read('r/.git/config') + filter('later')),
    included: () => {
      app.write('r/.git/more', filter('included'))
      app.git(['config', 'include.path', 'more'], { in: 'r' })
    },
    changed: () => app.write('r/.git/more', filter('changed')),
    conditional: () => {
      app.write('r/.git/branch', filter('conditional'))
      app.git(['config', 'includeIf.onbranch:topic.path', 'branch'], { in: 'r' })
      app.git(['checkout', '-q', '-b', 'topic'], { in: 'r' })
    },
    worktree: () => {
      app.git(['config', 'extensions.worktreeConfig', 'true'], { in: 'r' })
      app.write('r/.git/config.worktree', filter('worktree'))
    }
  }
  for (const [name, plantIt] of Object.entries(ways)) {
    plantIt()
    attributes(name)
    app.write('r/a.txt', `${name}\n`)
    // Clears what git ran during setup.
    app.fired()
    await app.readAll()
    t.notOk(app.fired(), name)
    plainly(app, ['diff'])
    t.ok(app.fired(), `plain git runs it: ${name}`)
  }
})
