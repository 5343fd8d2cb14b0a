// Fixture of tests of git_push.
import path from 'node:path'
import type { Test } from 'tap'
import type { StartOptions } from '../../start-app.ts'
import { createBareRepository, gitIn, startGitWriteFixture } from './write-fixture.ts'

/** Creates a workspace whose `origin` is a bare repository in it, and pushes `main` once. */
export async function pushedOnce(t: Test, settings: StartOptions = {}) {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' }, settings)
  const remote = createBareRepository(app.path('remotes/origin.git'))
  app.git('remote', 'add', 'origin', remote.folder)
  app.git('push', '-q', '--set-upstream', 'origin', 'main')
  const commit = (text: string) => {
    app.write('a.txt', text)
    app.git('commit', '-qam', text.trim())
    return app.head()
  }
  /** Another user pushes a commit that is not fetched here. */
  const others = () => {
    app.git('clone', '-q', remote.folder, path.join(app.folder, 'other'))
    const other = gitIn(path.join(app.folder, 'other'))
    other('commit', '-q', '--allow-empty', '-m', 'theirs')
    other('push', '-q', 'origin', 'HEAD:main')
    return other('rev-parse', 'HEAD')
  }
  return { ...app, remote, commitText: commit, others, at: () => remote.git('rev-parse', 'main') }
}
