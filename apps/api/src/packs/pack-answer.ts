import type { PackActivation, PackCheck, PackDetail, PackSummary } from '@hcp/contracts';
import type { BindingAvailability } from '@hcp/bindings';
import { bindingFamilies, credentialFields, credentialUses, findPolicyRow, type Pack } from '@hcp/core';
import type { Activated, CheckedFiles, PackDetailView, PackRefusal } from '@hcp/packs';

/** @param available the credential that a call of the caller would use; null where the pack needs none */
export function packSummary({ pack: _, ...view }: PackDetailView, available: BindingAvailability | null): PackSummary {
  return {
    ...view,
    ...(available && { credential: { state: available.state, needed_by: available.needed_by } }),
    versions: [...view.versions],
    activations: [...view.activations],
  };
}

export function packActivation({ pack_id, project_id, version, digest, activated_at }: Activated): PackActivation {
  return { pack_id, project_id, version, digest, activated_at: activated_at.toISOString() };
}

type Ways = NonNullable<PackDetail['binding']>['ways'];

/** The pack with its commands; one without a policy row cannot run and is left out. */
export function packDetail(view: PackDetailView, available: BindingAvailability | null, ways: Ways): PackDetail {
  const { pack } = view;
  const commands = Object.entries(pack.surface.commands).flatMap(([verb_key, { description, args, cli }]) => {
    const row = findPolicyRow(pack, verb_key);
    if (!row) return [];
    return [
      { verb_key, description, operation: row.operation, confirm: row.confirm, land: row.privacy.land, args, cli },
    ];
  });
  return {
    ...packSummary(view, available),
    version: pack.manifest.version,
    ...bindingOf(pack, ways),
    ...wrapOf(pack),
    commands,
  };
}

function wrapOf({ manifest: { wrap } }: Pack): Pick<PackDetail, 'wrap'> {
  if (!wrap) return {};
  const { bin, workspace, network = 'none' } = wrap;
  return { wrap: { bin, workspace: workspace?.mode ?? 'pack', network: network === 'none' ? [] : network } };
}

function bindingOf(pack: Pack, ways: Ways): Pick<PackDetail, 'binding'> {
  const families = bindingFamilies(pack);
  if (families.length === 0) return {};
  return {
    binding: {
      families,
      provider: pack.manifest.binding.provider ?? null,
      fields: credentialFields(pack),
      uses: credentialUses(pack),
      ways,
    },
  };
}

/** An archive that is refused is one more finding here: the check is there to tell an author what is wrong. */
export function checkAnswer(checked: CheckedFiles | PackRefusal): PackCheck {
  if (!checked.ok) {
    const finding = { code: 'A001', level: 'error' as const, path: checked.entry ?? '', message: checked.detail };
    return { ok: false, findings: [finding], pack: null };
  }
  const { pack, findings } = checked;
  const ref = pack && { pack_id: pack.manifest.pack_id, version: pack.manifest.version, digest: pack.digest };
  return { ok: pack !== null, findings: [...findings], pack: ref };
}
