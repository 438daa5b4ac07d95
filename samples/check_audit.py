#!/usr/bin/env python3
"""Check a video against the audit that vidconv --audit wrote of it.

    vidconv in.mkv -o out.mkv --codec ffv1 --kernel gaussian:sigma=20:region=100,80,320,200 --audit audit.jsonl
    check_audit.py audit.jsonl in.mkv out.mkv

Decodes both with ffmpeg and computes the digests anew: of the input what was inside and outside of the filters'
places before, of the output what was there after. The output has to be lossless, and both of a format with one
plane for each component. Stretches that --keep-unchanged has copied are compared packet by packet. Where MPEG-TS and
other containers put different marks before the units of H.264 and H.265, their units are compared with the input's.
Exit code 1 and a line for what differs.
"""

import argparse
import hashlib
import json
import subprocess
import sys


def frames(path, size):
    """Yields all frames of the first video as bytes, without rotation. An incomplete last frame counts as well."""
    command = ["ffmpeg", "-v", "error", "-noautorotate", "-i", path, "-map", "0:v:0",
               "-fps_mode", "passthrough", "-f", "rawvideo", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while frame := process.stdout.read(size):
            yield frame
    if process.returncode != 0:
        sys.exit(f"{path}: ffmpeg cannot decode it")


def sample_bytes(path):
    """Returns the bytes of a sample, by the name of the pixel format: two for yuv420p10le."""
    command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=pix_fmt",
               "-of", "default=nw=1:nk=1", path]
    name = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]
    return 2 if name.endswith(("le", "be")) else 1


def inside_of_rows(component, fields):
    """Returns for each row the spans of samples that are inside, from left to right, in the order of rows."""
    rows = []
    for field, rects in enumerate(component["parts"]):
        step = 2 if fields else 1
        for index, row in enumerate(range(field, component["height"], step)):
            rows.append((row, sorted((x, x + w) for x, y, w, h in rects if y <= index < y + h)))
    return rows


def digests(component, fields, plane, bytes_each):
    inside, outside = hashlib.md5(), hashlib.md5()
    for row, stretches in inside_of_rows(component, fields):
        start = row * component["width"]
        at = 0
        for begin, end in stretches + [(component["width"], component["width"])]:
            outside.update(plane[(start + at) * bytes_each:(start + begin) * bytes_each])
            inside.update(plane[(start + begin) * bytes_each:(start + end) * bytes_each])
            at = end
    return inside.hexdigest(), outside.hexdigest()


def check_frame(line, frame, bytes_each, when):
    """Returns the differences between a frame and the audit."""
    wrong, at = [], 0
    for component in line["components"]:
        end = at + component["width"] * component["height"] * bytes_each
        found = digests(component, line["fields"], frame[at:end], bytes_each)
        for where, digest in zip(("inside", "outside"), found):
            if component[where][when] != digest:
                wrong.append(f"frame {line['frame']}, {component['name']}: what is {where} {when}")
        at = end
    return wrong


def packets(path):
    """Returns the first video's packets in the order of decoding: when each is shown, and its bytes."""
    probe = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts,size", "-of", "json", path]
    told = json.loads(subprocess.run(probe, check=True, capture_output=True, text=True).stdout)["packets"]
    copy = ["ffmpeg", "-v", "error", "-i", path, "-map", "0:v:0", "-c", "copy", "-f", "data", "-"]
    data = subprocess.run(copy, check=True, capture_output=True).stdout
    all_packets, at = [], 0
    for packet in told:
        size = int(packet["size"])
        all_packets.append((packet.get("pts", at), data[at:at + size]))
        at += size
    return all_packets


def units(packet, codec):
    """Returns the units of a packet of H.264 or H.265 without the headers that containers add or take away."""
    # Lengths of four bytes lead to the packet's end. A length from 256 to 511 begins as a start code does.
    found, at = [], 0
    while at + 4 < len(packet) and (size := int.from_bytes(packet[at:at + 4], "big")) > 0:
        found.append(packet[at + 4:at + 4 + size])
        at += 4 + size
    if at != len(packet):
        found = packet.split(b"\0\0\1")
    def is_added(unit):
        return unit[0] & 31 in (7, 8, 9) if codec == "h264" else unit[0] >> 1 & 63 in (32, 33, 34, 35)
    found = [unit.rstrip(b"\0") for unit in found]  # zeros between units belong to none
    return [unit for unit in found if unit and not is_added(unit)]


def codec_of(path):
    probe = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=codec_name", "-of", "json", path]
    return json.loads(subprocess.run(probe, check=True, capture_output=True, text=True).stdout)["streams"][0]["codec_name"]


def check_kept(kept, path, source):
    """Returns the differences between the packets of stretches that were copied and the audit, which is of the source."""
    def stretch(found, part):
        shown = sorted(pts for pts, _ in found)
        times = set(shown[part["frame"]:part["frame"] + part["frames"]])
        return [packet for pts, packet in found if pts in times]
    found, origin, wrong = packets(path), None, []
    for part in kept:
        copied = stretch(found, part)
        data = b"".join(copied)
        if len(data) != part["bytes"] or hashlib.md5(data).hexdigest() != part["md5"]:
            codec = codec_of(path)
            if source != path and codec in ("h264", "hevc"):
                origin = origin or packets(source)
                if [units(p, codec) for p in copied] == [units(p, codec) for p in stretch(origin, part)]:
                    continue
            wrong.append(f"{path}: the packets of frames {part['frame']} to {part['frame'] + part['frames'] - 1}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("audit")
    parser.add_argument("input")
    parser.add_argument("output")
    args = parser.parse_args()
    with open(args.audit, encoding="utf-8") as file:
        all_lines = [json.loads(line) for line in file]
    if not all_lines:
        sys.exit(f"{args.audit}: it tells of no frame")
    kept = [line["kept"] for line in all_lines if "kept" in line]
    lines = [line for line in all_lines if "kept" not in line]
    told = {line["frame"]: line for line in lines}
    total = len(lines) + sum(part["frames"] for part in kept)
    wrong = []
    for path, when in ((args.input, "before"), (args.output, "after")):
        wrong += check_kept(kept, path, args.input) if kept else []
        if not lines:
            continue
        bytes_each = sample_bytes(path)
        size = sum(c["width"] * c["height"] for c in lines[0]["components"]) * bytes_each
        count = 0
        for frame in frames(path, size):  # also frames beyond the audit's end
            if count in told:
                wrong += check_frame(told[count], frame, bytes_each, when)
            count += 1
        if count != total:
            wrong.append(f"{path} has {count} frames, the audit {total}")
    for line in lines:
        wrong += [f"frame {line['frame']}, {c['name']}: what is outside has changed"
                  for c in line["components"] if c["outside"]["before"] != c["outside"]["after"]]
    print("\n".join(wrong) if wrong else f"{total} frames are as the audit says")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
