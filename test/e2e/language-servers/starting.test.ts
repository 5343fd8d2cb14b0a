// Tests of calls during the start of a language server: they give the same results as later.
import path from 'node:path'
import t from 'tap'
import { type Json, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { directly, sorted } from './directly.ts'
import { LSP_PROJECTS, writeFiles } from './projects.ts'

/** They mostly wait for servers. */
t.jobs = 2

/** They use the workspace as their project. */
const HAS_NO_ROOT = new Set(['bash-language-server'])
const COLD = ['typescript-language-server', 'bash-language-server', 'clangd']
const cold = LSP_PROJECTS.filter(({ server }) => COLD.includes(server))

t.test('queries while a project is still loading', needs('sandbox', ...cold.flatMap(({ parts }) => parts)), async t => {
  const app = await startApp(t)
  for (const project of cold) writeFiles(project, path.join(app.root, project.server))
  const wanted = await Promise.all(cold.map(project => directly(t, project)))
  const answers = await Promise.all(
    wanted.map(({ asked }, i) => app.call('definition', { ...asked, path: `${cold[i]!.server}/${asked.path}` }))
  )
  for (const [i, { server }] of cold.entries()) {
    const { places, answered } = answers[i].result.data
    const here = wanted[i]!.definition!.map(place => ({ ...place, path: `${server}/${place.path}` }))
    t.same(sorted(places), sorted(here), `is told by ${server} what whoever asks later is`)
    t.match(answered, { server, root: HAS_NO_ROOT.has(server) ? '.' : server, readiness: 'ready' })
  }
  const { language_servers } = await app.get('/capabilities')
  t.same(language_servers.map(({ server }: Json) => server).sort(), COLD.toSorted(), 'each runs once')
})

for (const name of ['bash-language-server', 'yaml-language-server']) {
  const project = LSP_PROJECTS.find(({ server }) => server === name)!
  t.test(`incomplete first answers of ${name} are not trusted`, needs('sandbox', ...project.parts), async t => {
    const { asked } = await directly(t, project)
    for (const [question, params] of Object.entries({ hover: asked, symbols: { path: project.file } })) {
      const app = await startApp(t)
      writeFiles(project, app.root)
      const told = async () => {
        const { text, symbols = [] } = (await app.call(question, params)).result.data
        return text ?? symbols
      }
      const first = await told()
      await app.call('diagnostics', { path: project.file })
      t.same(first, await told(), question)
      t.not(first.length, 0, `there is something: ${question}`)
    }
  })
}
