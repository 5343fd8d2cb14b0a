// The narrowest rule that would have allowed a waiting call, as a way to the dialog that tests and saves it.
import type { Approval } from '../../src/client/client.ts'
import { describeNarrowestOption } from '../../src/protocol/narrowest-option.ts'
import { markInvisible } from '../text/invisible.tsx'

export function NarrowestRule({ approval, onClick }: { approval: Approval; onClick: () => void }) {
  const rule = describeNarrowestOption(approval.always_options)
  if (rule === undefined) return null
  return (
    <p class="narrowest-rule">
      <button class="text-button" type="button" title={`${rule} (a)`} onClick={onClick}>
        {markInvisible(rule.replace(/^./, first => first.toUpperCase()))}
      </button>
    </p>
  )
}
