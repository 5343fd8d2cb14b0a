// Sets the mode of a session.
import * as vscode from 'vscode'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'
import { MODES, type Mode, type SessionRef } from '../model/modes.ts'
import type { Session } from '../model/session.ts'
import { listSessions } from '../model/session-list.ts'
import type { ActiveTab } from './active-tab.ts'
import { type RegisterCommand, showBriefly, toEntry } from './commands.ts'

/** The choice that returns a session to the configured mode. */
const CONFIGURED = 'configured'

export function registerModeCommands(session: Session, activeTab: ActiveTab, command: RegisterCommand) {
  command('toolgate.setMode', async (argument?: unknown) => {
    const { call } = toEntry(argument) ?? session.calls.find(activeTab.current?.id) ?? {}
    const ref = call ?? (await pickSession(session))
    if (ref) await pickMode(session, ref)
  })
}

async function pickSession(session: Session): Promise<SessionRef | undefined> {
  const sessions = listSessions(session)
  if (sessions.length === 0) showBriefly('there is no session yet: no agent has made a call')
  if (sessions.length <= 1) return sessions[0]
  const items = sessions.map(ref => ({
    label: escapeLine(ref.session_id),
    description: `${session.modes.of(ref)} · ${ref.workspace}`,
    ref
  }))
  const picked = await vscode.window.showQuickPick(items, { title: 'Set the mode of a session' })
  return picked?.ref
}

async function pickMode(session: Session, { session_id, workspace }: SessionRef) {
  const client = session.requireClient()
  const items = [
    { label: CONFIGURED, description: `returns to the mode of the configuration, ${session.modes.default}` },
    ...Object.entries(MODES).map(([label, description]) => ({ label, description }))
  ]
  const title = `Mode of the session ${escapeLine(session_id)}, now ${session.modes.of({ session_id, workspace })}`
  const picked = await vscode.window.showQuickPick(items, { title })
  if (!picked) return
  if (picked.label === CONFIGURED) await client.clearMode(session_id, { workspace })
  else await client.setMode(session_id, { mode: picked.label as Mode, workspace })
  showBriefly(`session ${escapeLine(session_id)}: mode ${picked.label}`)
}
