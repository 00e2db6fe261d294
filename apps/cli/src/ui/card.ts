import type { ApprovalRequest, CardStep } from '@hcp/core';
import type { Ui } from './ui.js';

/** What a person is asked with, in the protocol's own layout; every value whole (SPEC C1, C3). */
export function showCard(ui: Ui, card: ApprovalRequest): void {
  const { view } = card;
  ui.line(`${ui.safe(card.pack_name)} · ${ui.safe(card.summary)}`);
  ui.line('');
  ui.line(ui.style('bold', ui.safe(view.title)));
  for (const { text } of view.signals) ui.line(`· ${ui.style('yellow', ui.safe(text))}`);
  const rows = [...view.fields, ...view.rest];
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  for (const { name, value } of rows) ui.line(`  ${ui.safe(name.padEnd(width))}  ${ui.safe(value)}`);
  if (!view.complete) showWhole(ui, card);
  ui.line('');
  ui.line(`  $ ${ui.safe(card.cli)}`);
  showSteps(ui, card.steps ?? [], '  ');
}

/** What a composite comes to, each step as its own card would say it. */
function showSteps(ui: Ui, steps: readonly CardStep[], indent: string): void {
  for (const [at, step] of steps.entries()) {
    const when = step.later ? '  (with what an earlier step answers)' : '';
    ui.line(`${indent}${String(at + 1)}. ${ui.safe(step.pack_name)} · ${ui.safe(step.view.title)}${when}`);
    ui.line(`${indent}   $ ${ui.safe(step.cli)}`);
    showSteps(ui, step.steps ?? [], `${indent}   `);
  }
}

/** A card that cuts a value has to be opened in full before anyone approves it. */
function showWhole(ui: Ui, { args }: ApprovalRequest): void {
  ui.line('');
  ui.line('In full:');
  for (const { name, value } of args) {
    ui.line(`  ${ui.safe(name)}  ${ui.safe(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`);
  }
}
