// Terminals that show the output of jobs while they run. A job that accepts input gets what the person types.
import * as vscode from 'vscode'
import type { Client, Job } from '../../../../src/client/client.ts'
import { type BackgroundJobs, isRunning } from '../model/background-jobs.ts'
import { sanitizeForTerminal } from '../model/sanitize-terminal.ts'
import type { Session } from '../model/session.ts'
import { describeJob } from '../model/tree-items.ts'
import type { RegisterCommand } from './commands.ts'
import { toTreeItem } from './tree-item.ts'
import { toName } from './uris.ts'

/** Time that one request waits for more output, in milliseconds. */
const WAIT_MS = 30_000

export function createJobsTree({ jobs }: Session): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>()
  const view = vscode.window.createTreeView<Job>('toolgate.jobs', {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: job => (job ? [] : [...jobs.list]),
      getTreeItem: job =>
        Object.assign(toTreeItem(describeJob(job)), {
          command: { command: 'toolgate.showJob', title: 'Show Output', arguments: [job] }
        })
    }
  })
  return vscode.Disposable.from(
    view,
    changed,
    jobs.changed.listen(() => changed.fire())
  )
}

export function registerJobCommands(session: Session, command: RegisterCommand): vscode.Disposable {
  const terminals = new Map<string, vscode.Terminal>()
  command('toolgate.showJob', (job: Job) => {
    const terminal = terminals.get(job.task_id) ?? createJobTerminal(session, job)
    terminals.set(job.task_id, terminal)
    terminal.show(true)
  })
  command('toolgate.stopJob', async (job: Job) => {
    const stop = 'Stop'
    const detail = toName(job.command)
    const answer = await vscode.window.showWarningMessage('Stop this job?', { modal: true, detail }, stop)
    if (answer === stop) await session.requireClient().cancel(job.task_id)
  })
  return vscode.window.onDidCloseTerminal(closed => {
    for (const [id, terminal] of terminals) if (terminal === closed) terminals.delete(id)
  })
}

function createJobTerminal(session: Session, job: Job): vscode.Terminal {
  const client = session.requireClient()
  const written = new vscode.EventEmitter<string>()
  const closing = new AbortController()
  const follow = async () => {
    for (let offset = 0; ; ) {
      const page = await client.output(job.task_id, { offset, wait_ms: WAIT_MS, signal: closing.signal })
      if (page.dropped) written.fire(`\r\n[${page.dropped.bytes} bytes of output are missing]\r\n`)
      written.fire(sanitizeForTerminal(page.text))
      offset = page.next_offset
      if (page.ended) break
    }
    written.fire(`\r\n[${describeJob(await waitForEnd(client, session.jobs, job.task_id)).description}]\r\n`)
  }
  return vscode.window.createTerminal({
    name: `Toolgate: ${toName(job.description ?? job.command)}`,
    iconPath: new vscode.ThemeIcon('shield'),
    pty: {
      onDidWrite: written.event,
      open: () => {
        follow().catch(error => {
          if (!closing.signal.aborted) written.fire(`\r\n[${(error as Error).message}]\r\n`)
        })
      },
      close: () => closing.abort(),
      handleInput: (text: string) => {
        // A job that does not accept input reports that.
        if (job.interactive && isRunning(job))
          client.sendInput(job.task_id, { text: text.replaceAll('\r', '\n') }).catch(error => {
            written.fire(`\r\n[${(error as Error).message}]\r\n`)
          })
      }
    }
  })
}

/** Resolves with the job once it has ended: its output ends a moment before that. */
async function waitForEnd(client: Client, jobs: BackgroundJobs, task_id: string): Promise<Job> {
  for (;;) {
    const changed = new Promise<void>(resolve => {
      const subscription = jobs.changed.listen(() => {
        subscription.dispose()
        resolve()
      })
    })
    const job = await client.job(task_id)
    if (!isRunning(job)) return job
    await changed
  }
}
