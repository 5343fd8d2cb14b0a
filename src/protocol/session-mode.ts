// Session modes: which calls run without asking. Denials, administrators' rules and the rights of the caller's token hold in each.
import { type Static, Type } from 'typebox'

/** From the strictest to the loosest. */
export const SESSION_MODES = ['plan', 'ask', 'accept-edits', 'auto'] as const

export const SessionMode = Type.Enum([...SESSION_MODES], {
  description:
    '`plan`: reads only, everything else is refused. `ask`: asks as policy says. `accept-edits`: edits of files in the workspace run ' +
    'without asking, everything else as in `ask`. `auto`: also deletions that undo can take back, commits, and commands that the ' +
    'sandbox `workspace` confines, without network; where that level is not proven to hold, commands ask as in `ask`.'
})
export type SessionMode = Static<typeof SessionMode>

/** Returns the stricter of two modes. */
export const stricterMode = (one: SessionMode, other: SessionMode): SessionMode =>
  SESSION_MODES[Math.min(SESSION_MODES.indexOf(one), SESSION_MODES.indexOf(other))]!
