// Configuration of toolsets. Taken from the administrator's file only: it loosens what a decision must contain.
import { Type } from 'typebox'

/** Toolsets besides the native one. */
export const TOOLSET_NAMES = ['opencode', 'synapsis', 'workspace', 'codey', 'emacs-agent'] as const

export const ToolsetsSchema = Type.Record(
  Type.String({ pattern: `^(?:${TOOLSET_NAMES.join('|')})$` }),
  Type.Object(
    {
      strict: Type.Optional(
        Type.Enum(['confirm', 'ask'], {
          description:
            'What approves a call that was sent in the toolset. `confirm`, the default: the digest of the preview, for a strict call also ' +
            '`confirm: true`. `ask`: its id alone.'
        })
      )
    },
    { additionalProperties: false }
  ),
  {
    additionalProperties: false,
    default: {},
    description: "By the name of a toolset: what its clients need not send. Taken from the administrator's file only."
  }
)
