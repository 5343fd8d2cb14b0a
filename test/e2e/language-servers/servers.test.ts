// Tests of each language server: calls and direct queries about the same project give the same answers except for their form.
import t from 'tap'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { directly, sorted } from './directly.ts'
import { LSP_PROJECTS, writeFiles } from './projects.ts'

/** They mostly wait for servers. */
t.jobs = 2

for (const project of LSP_PROJECTS)
  t.test(project.server, needs('sandbox', ...project.parts), async t => {
    const app = await startApp(t)
    writeFiles(project, app.root)
    const before = snapshotFolder(app.root)
    const { asked, ...wanted } = await directly(t, project)

    const found = await app.call('diagnostics', { path: project.file })
    t.equal(found.status, 'success', JSON.stringify(found.error))
    const { diagnostics, status, answered } = found.result.data
    t.same(sorted(diagnostics), sorted(wanted.diagnostics), 'what it finds')
    t.equal(status, 'complete')
    t.match(answered, [{ server: project.server, root: '.', readiness: 'ready' }])
    t.match(answered[0].version ?? 'unknown', /^[^{}\n]{1,100}$/, 'a version is a few words')

    for (const question of ['definition', 'references'] as const) {
      const { status, error, result } = await app.call(question, asked)
      if (!wanted[question]) {
        t.match({ status, error }, { status: 'error', error: { code: 'LSP_UNAVAILABLE' } }, `no ${question}`)
        continue
      }
      t.equal(status, 'success', JSON.stringify(error))
      t.same(sorted(result.data.places), sorted(wanted[question]), question)
      t.not(result.data.places.length, 0, `it has an answer: ${question}`)
    }
    t.same(snapshotFolder(app.root), before, 'nothing was written')
  })
