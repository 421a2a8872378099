package viz

import "fmt"

// combined describes the curve: who, which system, which model, which data.
func combined(r *reader, c curve, p pointFiles, power *power) map[string]Document {
	s := p.system
	get := func(key string) any { return first(p.params[key], s[key]) } // what moved to point.yaml wins
	details := pick(s, "system_size", "system_node_ensemble_count", "system_node_ensemble_total", "serving_framework", "endpoint_url")
	details["max_supported_concurrency"] = get("max_supported_concurrency")
	details["node_types"] = nodes(r, c, s["node_types"])
	details["provisioned_power_kw"] = power.provisioned()
	info := pick(s, "submitter_org_names", "submitter_contact", "submission_date", "publish_date")
	info["submission_id"], info["submitted_submission_id"] = c.id(), s["submission_id"]
	info["early_publish"] = true // without it the page calls a local file verified by MLCommons; what it calls unverified it does not show
	system := pick(s, "system_name", "system_category", "system_availability_status")
	system["system_type_detail"] = first(s["system_type_detail"], s["system_type"])
	model, data := Document{}, Document{}
	for _, k := range []string{"division", "model_id", "model_name", "model_precision", "link_to_model", "link_to_model_transformation", "model_notes"} {
		model[k] = get(k)
	}
	for _, k := range []string{"dataset_id", "input_token_average", "output_token_average", "dataset_type", "dataset_link", "measured_accuracy_score"} {
		data[k] = get(k)
	}
	data["dataset_name"] = first(get("dataset_name"), p.params["dataset"])
	return map[string]Document{"submission_info": info, "sut_metadata": system, "sut_details": details, "model_metadata": model, "datasets_metadata": data}
}

func pick(d Document, keys ...string) Document {
	out := Document{}
	for _, k := range keys {
		out[k] = d[k]
	}
	return out
}

// nodes gives each node type the fields of its first accelerator, which is all that the page can show.
func nodes(r *reader, c curve, v any) []Document {
	out := []Document{}
	list, _ := v.([]any)
	for i, e := range list {
		d, ok := e.(Document)
		if !ok {
			continue
		}
		node := Document{}
		for k, v := range d {
			node[k] = v
		}
		accelerators, _ := d["accelerator_info"].([]any)
		if len(accelerators) > 1 {
			r.warn(c.short(), "node_types[%d]: the page shows the first of %d kinds of accelerators", i, len(accelerators))
		}
		if len(accelerators) > 0 {
			shown, _ := accelerators[0].(Document)
			for k, v := range shown {
				if node[k] == nil {
					node[k] = v
				}
			}
		}
		out = append(out, node)
	}
	return out
}

// accuracy is every score of a point as one text: performance=0.5643, swe_bench=0.715.
func accuracy(v any) any {
	d, ok := v.(Document)
	if !ok {
		d = Document{"accuracy_scores": v}
	}
	out := ""
	add := func(name string, score any) {
		f, ok := float(score)
		if !ok {
			return
		}
		if out != "" {
			out += ", "
		}
		out += name + "=" + short(f)
	}
	each(d["accuracy_scores"], func(name string, e Document) {
		if scores, ok := e["score"].(Document); ok {
			for _, metric := range sorted(scores) {
				add(fmt.Sprintf("%s %s", name, metric), scores[metric])
			}
			return
		}
		add(name, e["score"])
	})
	if out == "" {
		return nil
	}
	return out
}
